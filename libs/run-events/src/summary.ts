import { exhaustive } from '@sciencediscovery/kernel'
import { type StoredText } from './blob-ref.js'
import { type RunEvent } from './run-event.js'
import { describeTransfer } from './transfers.js'

const maxSummaryBytes = 200

/** One line for people, at most 200 bytes of UTF-8: the same in every place that shows events. */
export function summaryOf(event: RunEvent): string {
  return cutBytes(oneLine(describe(event)), maxSummaryBytes)
}

/** Cuts at a character boundary so that the UTF-8 form fits. */
export function cutBytes(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= maxBytes) return text
  const room = maxBytes - 3
  // A continuation byte (10xxxxxx) must not be cut off from its first byte.
  let end = room
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return `${new TextDecoder().decode(bytes.subarray(0, end))}…`
}

// Control characters would let stored text write on a terminal.
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()

const plain = (text: StoredText): string => (typeof text === 'string' ? text : text.blob.preview)

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

function describe(event: RunEvent): string {
  switch (event.type) {
    case 'run.started':
      return `run started with ${event.data.model}: ${event.data.goal}`
    case 'message.added':
      return `${event.data.role}: ${plain(event.data.text)}`
    case 'run.cancel.requested':
      return `stop requested by ${event.data.by}: ${event.data.reason}`
    case 'run.completed':
      return `run completed after ${counted(event.data.usage.modelTurns, 'model turn')}`
    case 'run.failed':
      return `run failed: ${event.data.reason}: ${event.data.message}`
    case 'run.cancelled':
      return `run cancelled: ${event.data.reason}`
    case 'plan.updated':
      return describePlan(event)
    case 'execution.completed':
    case 'workspace.changed':
    case 'artifact.declared':
    case 'tool_output.stored':
    case 'tool_output.read':
    case 'effect.recorded':
      return describeEffect(event)
    case 'transfer.queued':
    case 'transfer.started':
    case 'transfer.file.completed':
    case 'transfer.file.failed':
    case 'transfer.cancel.requested':
    case 'transfer.completed':
    case 'transfer.partial':
    case 'transfer.failed':
    case 'transfer.cancelled':
    case 'transfer.unknown':
      return describeTransfer(event)
    case 'model.turn.requested':
    case 'model.turn.completed':
    case 'model.turn.failed':
      return describeTurn(event)
    case 'tool.call.requested':
    case 'tool.call.blocked':
    case 'tool.call.released':
    case 'tool.call.completed':
    case 'tool.call.superseded':
    case 'tool.call.failed':
      return describeCall(event)
    default:
      return exhaustive(event)
  }
}

function describePlan(event: Extract<RunEvent, { type: 'plan.updated' }>): string {
  const { items } = event.data
  if (items.length === 0) return 'plan cleared'
  const done = items.filter((item) => item.status === 'completed').length
  const current = items.find((item) => item.status === 'in_progress')
  return `plan: ${done} of ${items.length} done${current ? `, now: ${current.step}` : ''}`
}

type EffectEvent = Extract<
  RunEvent,
  {
    type:
      | 'execution.completed'
      | 'workspace.changed'
      | 'artifact.declared'
      | 'tool_output.stored'
      | 'tool_output.read'
      | 'effect.recorded'
  }
>

function describeEffect(event: EffectEvent): string {
  switch (event.type) {
    case 'execution.completed': {
      const { state, exitCode, command } = event.data
      return `execution ${state}${exitCode === null ? '' : ` (exit ${exitCode})`}: ${command.preview}`
    }
    case 'workspace.changed': {
      const { created, modified, deleted } = event.data
      return `workspace changed: ${created} created, ${modified} modified, ${deleted} deleted`
    }
    case 'artifact.declared':
      return `artifact ${event.data.name} version ${event.data.version}`
    case 'tool_output.stored':
      return `output of ${event.data.tool} kept: ${counted(event.data.lines, 'line')}, ${counted(event.data.sizeBytes, 'byte')}`
    case 'tool_output.read':
      return `read ${counted(event.data.bytes, 'byte')} of ${event.data.ref}`
    case 'effect.recorded':
      return `late: ${event.data.summary}`
    default:
      return exhaustive(event)
  }
}

function describeTurn(event: Extract<RunEvent, { type: `model.turn.${string}` }>): string {
  const { turn, attempt } = event.data
  switch (event.type) {
    case 'model.turn.requested':
      return attempt === 1 ? `model turn ${turn}` : `model turn ${turn}, attempt ${attempt}`
    case 'model.turn.completed': {
      const { toolCalls, text } = event.data
      const calls =
        toolCalls.length === 0 ? '' : `[${toolCalls.map((call) => call.name).join(', ')}] `
      return `model: ${calls}${plain(text)}`
    }
    case 'model.turn.failed':
      return `model turn ${turn} failed: ${event.data.reason}: ${event.data.message}`
    default:
      return exhaustive(event)
  }
}

function describeCall(event: Extract<RunEvent, { type: `tool.call.${string}` }>): string {
  switch (event.type) {
    case 'tool.call.requested':
      return `${event.data.name} started`
    case 'tool.call.blocked':
      return `waits for permission: ${event.data.action} ${event.data.resource}: ${event.data.summary}`
    case 'tool.call.released':
      return `allowed: ${event.data.authorization.action} ${event.data.authorization.resource}`
    case 'tool.call.completed':
      return `${event.data.name} ${event.data.isError ? 'error' : 'done'}: ${plain(event.data.text)}`
    case 'tool.call.superseded':
      return `${event.data.name} superseded`
    case 'tool.call.failed':
      return `${event.data.name} ${event.data.reason}: ${event.data.message}`
    default:
      return exhaustive(event)
  }
}
