import {
  type ModelDelta,
  type ModelRequest,
  type ModelTurn,
  type ModelUsage,
} from '../../model-provider.js'
import { createDeltaText } from './delta-text.js'
import { createOpenAiCalls } from './openai-calls.js'
import { contentText, OpenAiChunkSchema, type OpenAiDelta, toUsage } from './openai-chunk.js'
import { addUnknownFields, type UnknownFields } from './unknown-fields.js'
import { createCallIds } from './wire-calls.js'
import { wellFormedText } from './well-formed.js'

const knownFields = new Set(['role', 'content', 'refusal', 'tool_calls', 'function_call'])
const thinkingFields = ['reasoning_content', 'reasoning'] as const

/** What an answer is put together for. */
export interface AssemblyTarget {
  readonly source: string
  readonly model: string
  readonly request: ModelRequest
  readonly onDelta: (delta: ModelDelta) => void
}

/** Puts one streamed answer together. */
export interface Assembly {
  readonly accept: (chunk: unknown) => void
  readonly isComplete: () => boolean
  readonly turn: () => ModelTurn
}

/** An assembly of chat completion chunks. */
export function createOpenAiAssembly(target: AssemblyTarget): Assembly {
  const text = createDeltaText('text', target.onDelta)
  const refusal = createDeltaText('text', target.onDelta)
  const thinking = createDeltaText('thinking', target.onDelta)
  const calls = createOpenAiCalls(createCallIds(target.request), target.onDelta)
  const fields: UnknownFields = {}
  let model = target.model
  let finishReason: string | undefined
  let usage: ModelUsage | undefined

  const acceptDelta = (delta: OpenAiDelta): void => {
    const piece = contentText(delta.content)
    if (piece !== '') text.append(piece)
    if (typeof delta.refusal === 'string') refusal.append(delta.refusal)
    const thought = thinkingFields
      .map((field) => delta[field])
      .find((value) => typeof value === 'string')
    if (typeof thought === 'string' && thought !== '') thinking.append(thought)
    for (const call of delta.tool_calls ?? []) calls.accept(call)
    addUnknownFields(fields, delta, knownFields)
  }

  return {
    accept: (raw) => {
      const chunk = OpenAiChunkSchema.parse(raw)
      const choice = chunk.choices?.[0]
      acceptDelta(choice?.delta ?? choice?.message ?? {})
      model = chunk.model ?? model
      finishReason = choice?.finish_reason ?? finishReason
      usage = toUsage(chunk.usage) ?? usage
    },
    isComplete: () => finishReason !== undefined,
    turn: () => {
      const { calls: toolCalls, fields: callFields } = calls.finish()
      const said = refusal.text()
      return {
        text: wellFormedText(text.text() === '' ? said : text.text()),
        toolCalls,
        stop: said === '' ? stopOf(finishReason, toolCalls.length) : 'refused',
        ...(usage === undefined ? {} : { usage }),
        model,
        ...extraOf(target.source, fields, callFields),
      }
    },
  }
}

function stopOf(finishReason: string | undefined, callCount: number): ModelTurn['stop'] {
  if (finishReason === 'length') return 'length'
  if (finishReason === 'content_filter') return 'refused'
  // Some services say `stop` beside tool calls, others `tool_calls` without any.
  return callCount > 0 ? 'tool_calls' : 'end'
}

function extraOf(
  source: string,
  message: UnknownFields,
  calls: Readonly<Record<string, UnknownFields>>,
): Pick<ModelTurn, 'extra'> {
  if (Object.keys(message).length === 0 && Object.keys(calls).length === 0) return {}
  return { extra: { source, message, calls } }
}
