import type OpenAI from 'openai'
import { z } from 'zod'
import { type ModelMessage, type ModelRequest } from '../../model-provider.js'
import { type ImageSource, loadImages, type WireImage } from './load-images.js'
import { pairToolResults } from './pair-tool-results.js'
import { argumentsText, wireName } from './wire-calls.js'

type Param = OpenAI.Chat.Completions.ChatCompletionMessageParam
type Part = OpenAI.Chat.Completions.ChatCompletionContentPart
type Assistant = Extract<ModelMessage, { role: 'assistant' }>
type ToolResult = Extract<ModelMessage, { role: 'tool' }>

const FieldsSchema = z.record(z.string(), z.unknown())
const ExtraSchema = z.object({
  source: z.string(),
  message: FieldsSchema,
  calls: z.record(z.string(), FieldsSchema),
})

/** The conversation as chat completion messages. */
export async function toOpenAiMessages(
  request: ModelRequest,
  source: string,
  images: ImageSource,
): Promise<Param[]> {
  const params: Param[] = []
  let waiting: Part[] = []
  for (const message of pairToolResults(request.messages)) {
    // Tool messages carry text only: their images follow all results of the turn as one user message.
    if (message.role !== 'tool' && waiting.length > 0) {
      params.push({ role: 'user', content: waiting })
      waiting = []
    }
    if (message.role === 'tool') waiting = [...waiting, ...(await resultImages(message, images))]
    params.push(await toParam(message, source, images))
  }
  return waiting.length > 0 ? [...params, { role: 'user', content: waiting }] : params
}

/** The tools as functions; none at all instead of an empty list, which is refused. */
export function toOpenAiTools(request: ModelRequest): OpenAI.Chat.Completions.ChatCompletionTool[] {
  return request.tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters: { ...parameters } },
  }))
}

async function toParam(message: ModelMessage, source: string, images: ImageSource): Promise<Param> {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text }
    case 'user': {
      const parts = (await loadImages(message.images, images)).map(toPart)
      if (parts.length === 0) return { role: 'user', content: message.text }
      return { role: 'user', content: [{ type: 'text', text: message.text }, ...parts] }
    }
    case 'assistant':
      return toAssistant(message, source)
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: resultText(message) }
  }
}

function toAssistant(message: Assistant, source: string): Param {
  const extra = ExtraSchema.safeParse(message.extra).data
  // Reasoning and signatures mean something only to the model that wrote them.
  const own = extra?.source === source ? extra : undefined
  const toolCalls = message.toolCalls.map((call, index) => ({
    ...own?.calls[String(index)],
    id: call.id,
    type: 'function' as const,
    function: { name: wireName(call.name), arguments: argumentsText(call.argumentsText) },
  }))
  return {
    ...own?.message,
    role: 'assistant',
    content: message.text === '' && toolCalls.length > 0 ? null : message.text,
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
  }
}

/** Chat completions have no error flag, so an error has to say that it is one. */
function resultText({ isError, text }: ToolResult): string {
  const shown = text === '' ? '(no output)' : text
  return isError && !/error/i.test(shown.slice(0, 100)) ? `Error: ${shown}` : shown
}

async function resultImages(message: ToolResult, images: ImageSource): Promise<Part[]> {
  const parts = (await loadImages(message.images, images)).map(toPart)
  if (parts.length === 0) return []
  return [{ type: 'text', text: `[images of the result of ${message.name}]` }, ...parts]
}

function toPart(image: WireImage): Part {
  if (image.kind === 'note') return { type: 'text', text: image.text }
  const url = `data:${image.mediaType};base64,${image.base64}`
  return { type: 'image_url', image_url: { url } }
}
