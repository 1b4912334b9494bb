import { type ModelToolCall } from '../../model-provider.js'
import { type DeltaText } from './delta-text.js'
import { type AnthropicEvent } from './anthropic-event.js'
import { toToolCall } from './wire-calls.js'

/** Where text, calls and blocks of other kinds stood in an answer. */
export type BlockPlace =
  | { readonly text: number }
  | { readonly call: number }
  | { readonly block: Readonly<Record<string, unknown>> }

interface OpenBlock {
  readonly index: number
  readonly fields: Record<string, unknown>
  readonly pieces: string[]
  readonly callId: string | undefined
}

/** What a collector of blocks tells while it collects. */
export interface BlockListeners {
  readonly text: DeltaText
  readonly thinking: DeltaText
  readonly onCall: (wireId: string, index: number, name: string) => string
}

/** The content blocks of one answer, put together from events. */
export interface AnthropicBlocks {
  readonly accept: (event: AnthropicEvent) => void
  readonly calls: () => readonly ModelToolCall[]
  readonly places: () => readonly BlockPlace[]
}

/** A collector of content blocks. */
export function createAnthropicBlocks(listeners: BlockListeners): AnthropicBlocks {
  const blocks: OpenBlock[] = []
  const callBlocks = (): OpenBlock[] => blocks.filter((block) => block.callId !== undefined)

  const start = (event: AnthropicEvent): void => {
    const fields = { ...event.content_block }
    const isCall = fields['type'] === 'tool_use'
    const callId = isCall
      ? listeners.onCall(textOf(fields['id']), callBlocks().length, textOf(fields['name']))
      : undefined
    const block: OpenBlock = { index: event.index ?? blocks.length, fields, pieces: [], callId }
    blocks.push(block)
    if (fields['type'] === 'text') addText(block, textOf(fields['text']), listeners)
  }

  return {
    accept: (event) => {
      if (event.type === 'content_block_start') start(event)
      const block = blocks.findLast((open) => open.index === event.index)
      if (event.type !== 'content_block_delta' || block === undefined) return
      const delta = event.delta ?? {}
      addText(block, delta.text ?? '', listeners)
      if (delta.partial_json !== undefined) block.pieces.push(delta.partial_json)
      if (delta.thinking !== undefined) listeners.thinking.append(delta.thinking)
      addField(block, 'thinking', delta.thinking)
      addField(block, 'signature', delta.signature)
    },
    calls: () => callBlocks().map(toCall),
    places: () => placesOf(blocks),
  }
}

function addText(block: OpenBlock, piece: string, listeners: BlockListeners): void {
  if (piece === '') return
  block.pieces.push(piece)
  listeners.text.append(piece)
}

function addField(block: OpenBlock, key: string, piece: string | undefined): void {
  if (piece !== undefined) block.fields[key] = textOf(block.fields[key]) + piece
}

function toCall(block: OpenBlock): ModelToolCall {
  // A call without arguments streams none; some services put them into the opening event instead.
  const streamed = block.pieces.join('')
  const argumentsJson = streamed === '' ? JSON.stringify(block.fields['input'] ?? {}) : streamed
  return toToolCall(block.callId ?? '', textOf(block.fields['name']), argumentsJson)
}

/** The order of the blocks; empty when text and calls say it all. */
function placesOf(blocks: readonly OpenBlock[]): readonly BlockPlace[] {
  let call = 0
  const places = blocks.map((block): BlockPlace => {
    if (block.callId !== undefined) return { call: call++ }
    if (block.fields['type'] === 'text') return { text: block.pieces.join('').length }
    return { block: block.fields }
  })
  return places.some((place) => 'block' in place) ? places : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
