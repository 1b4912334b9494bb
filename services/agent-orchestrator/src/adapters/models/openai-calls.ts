import { type ModelDelta, type ModelToolCall } from '../../model-provider.js'
import { type OpenAiToolCallDelta } from './openai-chunk.js'
import { addUnknownFields, type UnknownFields } from './unknown-fields.js'
import { toToolCall } from './wire-calls.js'

interface Slot {
  readonly wireIndex: number | undefined
  wireId: string
  name: string
  readonly pieces: string[]
  readonly fields: UnknownFields
  /** Fixed as soon as the call is shown. */
  callId: string | undefined
}

/** The tool calls of one turn, put together from deltas. */
export interface OpenAiCalls {
  readonly accept: (delta: OpenAiToolCallDelta) => void
  readonly finish: () => {
    readonly calls: readonly ModelToolCall[]
    readonly fields: Readonly<Record<string, UnknownFields>>
  }
}

const knownFields = new Set(['index', 'id', 'type', 'function'])

/** A collector that also takes what compatible services make of indexes and ids. */
export function createOpenAiCalls(
  callIdOf: (given: string, index: number) => string,
  onDelta: (delta: ModelDelta) => void,
): OpenAiCalls {
  const slots: Slot[] = []
  const show = (slot: Slot): string => {
    if (slot.callId !== undefined) return slot.callId
    const callId = callIdOf(slot.wireId, slots.indexOf(slot))
    slot.callId = callId
    onDelta({ kind: 'tool_call', callId, name: slot.name })
    return callId
  }
  return {
    accept: (delta) => {
      const slot = findSlot(slots, delta) ?? addSlot(slots, delta)
      if (slot.wireId === '') slot.wireId = delta.id ?? ''
      if (slot.name === '') slot.name = delta.function?.name ?? ''
      slot.pieces.push(argumentsPiece(delta.function?.arguments))
      addUnknownFields(slot.fields, delta, knownFields)
      if (slot.wireId !== '' && slot.name !== '') show(slot)
    },
    finish: () => ({
      calls: slots.map((slot) => toToolCall(show(slot), slot.name, slot.pieces.join(''))),
      fields: Object.fromEntries(
        slots
          .map((slot, index): [string, UnknownFields] => [String(index), slot.fields])
          .filter(([, fields]) => Object.keys(fields).length > 0),
      ),
    }),
  }
}

function addSlot(slots: Slot[], delta: OpenAiToolCallDelta): Slot {
  const wireIndex = delta.index ?? undefined
  const slot: Slot = { wireIndex, wireId: '', name: '', pieces: [], fields: {}, callId: undefined }
  slots.push(slot)
  return slot
}

/** The call a delta belongs to. An index alone does not say it: some services send 0 for every call. */
function findSlot(slots: readonly Slot[], delta: OpenAiToolCallDelta): Slot | undefined {
  const candidate = candidateFor(slots, delta)
  return candidate === undefined || startsAnother(delta, candidate) ? undefined : candidate
}

function candidateFor(slots: readonly Slot[], delta: OpenAiToolCallDelta): Slot | undefined {
  const { id, index } = delta
  if (typeof index === 'number') return slots.findLast((slot) => slot.wireIndex === index)
  const known = typeof id === 'string' && id !== '' ? id : undefined
  return slots.findLast((slot) => slot.wireId === known) ?? slots.at(-1)
}

function startsAnother(delta: OpenAiToolCallDelta, candidate: Slot): boolean {
  const id = delta.id ?? ''
  if (id !== '') return candidate.wireId !== '' && candidate.wireId !== id
  const hasName = (delta.function?.name ?? '') !== ''
  return typeof delta.index !== 'number' && hasName && candidate.name !== ''
}

function argumentsPiece(piece: unknown): string {
  if (typeof piece === 'string') return piece
  return piece === null || piece === undefined ? '' : JSON.stringify(piece)
}
