import { type ModelTurn } from '../../model-provider.js'
import { createAnthropicBlocks } from './anthropic-blocks.js'
import {
  AnthropicEventSchema,
  type AnthropicUsage,
  mergeUsage,
  toAnthropicUsage,
} from './anthropic-event.js'
import { createDeltaText } from './delta-text.js'
import { type Assembly, type AssemblyTarget } from './openai-assembly.js'
import { createCallIds } from './wire-calls.js'
import { wellFormedText } from './well-formed.js'

/** An assembly of message events. */
export function createAnthropicAssembly(target: AssemblyTarget): Assembly {
  const text = createDeltaText('text', target.onDelta)
  const callIdOf = createCallIds(target.request)
  const blocks = createAnthropicBlocks({
    text,
    thinking: createDeltaText('thinking', target.onDelta),
    onCall: (wireId, index, name) => {
      const callId = callIdOf(wireId, index)
      target.onDelta({ kind: 'tool_call', callId, name })
      return callId
    },
  })
  let model = target.model
  let stopReason: string | undefined
  let usage: AnthropicUsage = {}

  return {
    accept: (raw) => {
      const event = AnthropicEventSchema.parse(raw)
      if (event.message?.model !== undefined) model = event.message.model
      usage = mergeUsage(mergeUsage(usage, event.message?.usage), event.usage)
      blocks.accept(event)
      if (typeof event.delta?.stop_reason === 'string') stopReason = event.delta.stop_reason
      if (event.type === 'message_stop') stopReason ??= 'end_turn'
    },
    isComplete: () => stopReason !== undefined,
    turn: () => {
      const toolCalls = blocks.calls()
      const places = blocks.places()
      const counted = toAnthropicUsage(usage)
      return {
        text: wellFormedText(text.text()),
        toolCalls,
        stop: stopOf(stopReason, toolCalls.length),
        ...(counted === undefined ? {} : { usage: counted }),
        model,
        ...(places.length > 0 ? { extra: { source: target.source, places } } : {}),
      }
    },
  }
}

function stopOf(reason: string | undefined, callCount: number): ModelTurn['stop'] {
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'length'
  if (reason === 'refusal') return 'refused'
  return callCount > 0 ? 'tool_calls' : 'end'
}
