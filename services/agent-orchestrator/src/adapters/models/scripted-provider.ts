import { PlatformError } from '@sciencediscovery/kernel'
import {
  type ModelDelta,
  type ModelMessage,
  type ModelProvider,
  type ModelRequest,
  type ModelToolCall,
  type ModelTurn,
} from '../../model-provider.js'
import { failureOfAnswer } from './failure.js'
import { resolveReferences, resolveText } from './script-references.js'
import { type Script, type ScriptToolCall, type ScriptTurn } from './script.js'
import { cancellation, systemTiming, type Timing } from './timing.js'

/** What a scripted provider may be told. */
export interface ScriptedOptions {
  readonly id?: string
  readonly timing?: Timing
}

const deltaCharacters = 48

/**
 * Plays a script. It keeps no state: the request says which turn and which attempt it is, so a
 * turn asked again after a crash gets the same answer.
 */
export function createScriptedProvider(
  script: Script,
  options: ScriptedOptions = {},
): ModelProvider {
  const id = options.id ?? 'scripted'
  const timing = options.timing ?? systemTiming
  return {
    id,
    complete: async (request, { signal, onDelta }) => {
      if (signal.aborted) throw cancellation(signal)
      const turn = turnOf(script, request)
      if (turn.latencyMs !== undefined) await timing.wait(turn.latencyMs, signal)
      failAttempt(turn, request.attempt, timing)
      if (turn.hang === true) await untilAborted(signal)
      const answer = toTurn(script, turn, request, id)
      emitDeltas(answer, onDelta)
      return answer
    },
  }
}

function turnOf(script: Script, request: ModelRequest): ScriptTurn {
  const turn = script.turns[request.turnsCompleted]
  if (turn !== undefined) return turn
  const asked = String(request.turnsCompleted + 1)
  const has = `${String(script.turns.length)} turns`
  throw new PlatformError('refused', `script exhausted: turn ${asked} was asked, it has ${has}`, {
    reason: 'script_exhausted',
    remedy: 'end the script with a turn without tool calls',
  })
}

function failAttempt(turn: ScriptTurn, attempt: number, timing: Timing): void {
  let last = 0
  for (const { status, times, message, retryAfterMs } of turn.failures) {
    last += times ?? Number.POSITIVE_INFINITY
    if (attempt > last) continue
    const context = { service: 'script', redact: (text: string) => text, now: timing.now }
    throw failureOfAnswer(context, { status, text: message ?? 'scripted failure', retryAfterMs })
  }
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const onAbort = (): void => {
      reject(cancellation(signal))
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}

function toTurn(script: Script, turn: ScriptTurn, request: ModelRequest, model: string): ModelTurn {
  const { messages } = request
  const calls = turn.toolCalls ?? []
  const text =
    script.protocol === 'action'
      ? resolveAction(turn.text ?? '', messages)
      : resolveText(turn.text ?? '', messages)
  return {
    text,
    toolCalls: calls.map((call, index) => toCall(call, request, index)),
    stop: turn.stop ?? (calls.length > 0 ? 'tool_calls' : 'end'),
    ...(turn.usage === undefined ? {} : { usage: usageOf(turn.usage) }),
    model,
  }
}

function toCall(call: ScriptToolCall, request: ModelRequest, index: number): ModelToolCall {
  const args = call.arguments ?? {}
  return {
    id: call.id ?? `call_t${String(request.turnsCompleted + 1)}_${String(index)}`,
    name: call.name,
    argumentsText:
      typeof args === 'string'
        ? resolveText(args, request.messages)
        : JSON.stringify(resolveReferences(args, request.messages)),
  }
}

/** An action is JSON text: references are resolved inside its strings, so that quotes stay quoted. */
function resolveAction(text: string, messages: readonly ModelMessage[]): string {
  if (!text.includes('{{')) return text
  let action: unknown
  try {
    action = JSON.parse(text)
  } catch {
    return resolveText(text, messages)
  }
  return JSON.stringify(resolveReferences(action, messages))
}

function usageOf(usage: NonNullable<ScriptTurn['usage']>): NonNullable<ModelTurn['usage']> {
  const { cachedInputTokens, ...counts } = usage
  return cachedInputTokens === undefined ? counts : { ...counts, cachedInputTokens }
}

function emitDeltas(turn: ModelTurn, onDelta: (delta: ModelDelta) => void): void {
  const characters = Array.from(turn.text)
  for (let from = 0; from < characters.length; from += deltaCharacters)
    onDelta({ kind: 'text', text: characters.slice(from, from + deltaCharacters).join('') })
  for (const { id, name } of turn.toolCalls) onDelta({ kind: 'tool_call', callId: id, name })
}
