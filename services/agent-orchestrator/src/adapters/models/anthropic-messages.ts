import type Anthropic from '@anthropic-ai/sdk'
import { z } from 'zod'
import { type ModelMessage, type ModelRequest } from '../../model-provider.js'
import { type ImageSource, loadImages, type WireImage } from './load-images.js'
import { pairToolResults } from './pair-tool-results.js'
import { argumentsObject, wireName } from './wire-calls.js'

type Block = Anthropic.ContentBlockParam
type Assistant = Extract<ModelMessage, { role: 'assistant' }>
type ToolResult = Extract<ModelMessage, { role: 'tool' }>
interface Entry {
  readonly role: 'user' | 'assistant'
  readonly content: readonly Block[]
}

const StoredBlockSchema = z.custom<Block>(
  (value) => z.looseObject({ type: z.string() }).safeParse(value).success,
)
const ExtraSchema = z.object({
  source: z.string(),
  places: z.array(
    z.union([
      z.object({ text: z.number() }),
      z.object({ call: z.number() }),
      z.object({ block: StoredBlockSchema }),
    ]),
  ),
})

const cacheControl: Anthropic.CacheControlEphemeral = { type: 'ephemeral' }

/** The opening system messages: the service takes them apart from the conversation. */
export function toSystem(request: ModelRequest): Anthropic.TextBlockParam[] {
  const texts = request.messages.slice(0, openingCount(request)).map(({ text }) => text)
  const system = texts.filter((text) => text.trim() !== '').join('\n\n')
  return system === '' ? [] : [{ type: 'text', text: system, cache_control: cacheControl }]
}

/** The conversation as alternating messages that begin and end with the user. */
export async function toAnthropicMessages(
  request: ModelRequest,
  source: string,
  images: ImageSource,
): Promise<Anthropic.MessageParam[]> {
  const entries: Entry[] = [{ role: 'user', content: [] }]
  for (const message of pairToolResults(request.messages.slice(openingCount(request)), wireId)) {
    const entry = await toEntry(message, source, images)
    const last = entries.at(-1)
    if (last?.role === entry.role)
      entries.splice(-1, 1, { role: entry.role, content: [...last.content, ...entry.content] })
    else entries.push(entry)
  }
  if (entries.at(-1)?.role === 'assistant') entries.push({ role: 'user', content: [] })
  return entries.map(({ role, content }, index) => ({
    role,
    content: filled(content, index === entries.length - 1),
  }))
}

/** The tools; a history with calls needs them declared even when none may be called now. */
export function toAnthropicTools(request: ModelRequest): Anthropic.Tool[] {
  if (request.tools.length > 0)
    return request.tools.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: { ...parameters, type: 'object' },
    }))
  const called = request.messages.flatMap((message) =>
    message.role === 'assistant' ? message.toolCalls.map((call) => wireName(call.name)) : [],
  )
  const description = 'Not available any more.'
  return [...new Set(called)].map((name) => ({
    name,
    description,
    input_schema: { type: 'object' },
  }))
}

function openingCount({ messages }: ModelRequest): number {
  const first = messages.findIndex((message) => message.role !== 'system')
  return first === -1 ? messages.length : first
}

function wireId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)
}

async function toEntry(message: ModelMessage, source: string, images: ImageSource): Promise<Entry> {
  switch (message.role) {
    case 'system':
      return { role: 'user', content: textBlocks(`[system]\n${message.text}`) }
    case 'user': {
      const shown = (await loadImages(message.images, images)).map(toImageBlock)
      return { role: 'user', content: [...shown, ...textBlocks(message.text)] }
    }
    case 'assistant':
      return { role: 'assistant', content: assistantBlocks(message, source) }
    case 'tool':
      return { role: 'user', content: [await toResult(message, images)] }
  }
}

/** Thinking goes back exactly where it stood; when the turn no longer fits its notes, before the rest. */
function assistantBlocks(message: Assistant, source: string): readonly Block[] {
  const calls = message.toolCalls.map((call) => ({
    type: 'tool_use' as const,
    id: call.id,
    name: wireName(call.name),
    input: argumentsObject(call.argumentsText),
  }))
  const extra = ExtraSchema.safeParse(message.extra).data
  // Signatures mean something only to the model that wrote them.
  const places = extra?.source === source ? extra.places : []
  const textLength = places.reduce((sum, place) => sum + ('text' in place ? place.text : 0), 0)
  const callCount = places.filter((place) => 'call' in place).length
  if (textLength !== message.text.length || callCount !== calls.length) {
    const kept = places.flatMap((place) => ('block' in place ? [place.block] : []))
    return [...kept, ...textBlocks(message.text), ...calls]
  }
  let from = 0
  return places.flatMap((place): Block[] => {
    if ('block' in place) return [place.block]
    if ('call' in place) return calls.slice(place.call, place.call + 1)
    from += place.text
    return textBlocks(message.text.slice(from - place.text, from))
  })
}

async function toResult(
  message: ToolResult,
  images: ImageSource,
): Promise<Anthropic.ToolResultBlockParam> {
  const shown = (await loadImages(message.images, images)).map(toImageBlock)
  const text = message.text.trim() === '' ? '(no output)' : message.text
  return {
    type: 'tool_result',
    tool_use_id: message.callId,
    content: [{ type: 'text', text }, ...shown],
    ...(message.isError ? { is_error: true } : {}),
  }
}

function toImageBlock(image: WireImage): Anthropic.ImageBlockParam | Anthropic.TextBlockParam {
  if (image.kind === 'note') return { type: 'text', text: image.text }
  const { mediaType, base64 } = image
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: base64 } }
}

/** Blank text blocks are refused by the service. */
function textBlocks(text: string): Anthropic.TextBlockParam[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

/** Never empty; the last message of all carries the mark up to which the service caches. */
function filled(content: readonly Block[], isLast: boolean): Block[] {
  const blocks: readonly Block[] = content.length > 0 ? content : textBlocks('(continued)')
  const last = blocks.at(-1)
  if (!isLast || last === undefined || !isMarkable(last)) return [...blocks]
  return [...blocks.slice(0, -1), { ...last, cache_control: cacheControl }]
}

function isMarkable(
  block: Block,
): block is Anthropic.TextBlockParam | Anthropic.ImageBlockParam | Anthropic.ToolResultBlockParam {
  return block.type === 'text' || block.type === 'image' || block.type === 'tool_result'
}
