import { type OutputLimits } from './limits.js'

/** Which end of an output matters more when it is cut (C-26). */
export type Keep = 'head-and-tail' | 'tail'

/** An output and its measures. */
export interface Measured {
  readonly bytes: Uint8Array
  readonly lines: number
}

const newline = 0x0a
/** Room for the line that says what was left out. */
const markerBytes = 512
/** A cut moves to a line end when one is this close. */
const lineSlackBytes = 1024

/** Bytes and lines of a text; a final newline starts no further line. */
export function measure(text: string): Measured {
  const bytes = new TextEncoder().encode(text)
  const lines = countNewlines(bytes)
  const open = bytes.length > 0 && bytes[bytes.length - 1] !== newline
  return { bytes, lines: lines + (open ? 1 : 0) }
}

/** How many lines end in a piece of output. */
export function countNewlines(bytes: Uint8Array): number {
  let lines = 0
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) lines += 1
  return lines
}

/** Whether the model may be shown all of it. */
export function fits({ bytes, lines }: Measured, limits: OutputLimits): boolean {
  return bytes.length <= limits.maxBytes && lines <= limits.maxLines
}

/**
 * What is shown of an output that does not fit: two thirds from its head and one third from its tail,
 * or the tail alone, never half of a character, and a line that says what is left out and where all of it is.
 */
export function preview(output: Measured, limits: OutputLimits, keep: Keep, ref: string): string {
  const { bytes } = output
  const roomBytes = Math.max(0, limits.maxBytes - markerBytes)
  const roomLines = Math.max(1, limits.maxLines - 3)
  const headShare = keep === 'tail' ? 0 : 2 / 3
  const headLines = Math.floor(roomLines * headShare)
  const headEnd = endOfHead(bytes, headLines, Math.floor(roomBytes * headShare))
  const tailBytes = roomBytes - Math.floor(roomBytes * headShare)
  const tailStart = Math.max(headEnd, startOfTail(bytes, roomLines - headLines, tailBytes))
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const head = decoder.decode(bytes.subarray(0, headEnd))
  const tail = decoder.decode(bytes.subarray(tailStart))
  const left = measureLeftOut(bytes.subarray(headEnd, tailStart))
  const marker = `[${left} left out here of ${output.lines} lines, ${bytes.length} bytes in all; the whole output is kept as ${ref}]`
  const gap = head === '' || head.endsWith('\n') ? '' : '\n'
  return `${head}${gap}${marker}\n${tail}`
}

function measureLeftOut(bytes: Uint8Array): string {
  return `${countNewlines(bytes)} lines, ${bytes.length} bytes`
}

function endOfHead(bytes: Uint8Array, maxLines: number, maxBytes: number): number {
  let end = 0
  for (let line = 0; line < maxLines; line += 1) {
    const next = bytes.indexOf(newline, end) + 1
    if (next === 0 || next > maxBytes) return cutHead(bytes, end, maxBytes)
    end = next
  }
  return end
}

/** The last whole line, unless that would waste much: then as much of the next one as fits. */
function cutHead(bytes: Uint8Array, lineEnd: number, maxBytes: number): number {
  const limit = Math.min(maxBytes, bytes.length)
  if (limit < bytes.length && lineEnd > 0 && limit - lineEnd <= lineSlackBytes) return lineEnd
  let end = limit
  while (end > 0 && isContinuation(bytes[end])) end -= 1
  return end
}

function startOfTail(bytes: Uint8Array, maxLines: number, maxBytes: number): number {
  const limit = Math.max(0, bytes.length - maxBytes)
  // The newline at the very end closes the last line; it starts none.
  let at = bytes.length - 1
  for (let line = 0; line < maxLines; line += 1) {
    const before = at <= 0 ? -1 : bytes.lastIndexOf(newline, at - 1)
    if (before + 1 < limit)
      return cutTail(bytes, at >= bytes.length - 1 ? bytes.length : at + 1, limit)
    if (before < 0) return 0
    at = before
  }
  return at + 1
}

function cutTail(bytes: Uint8Array, lineStart: number, limit: number): number {
  if (lineStart < bytes.length && lineStart - limit <= lineSlackBytes) return lineStart
  let start = limit
  while (start < bytes.length && isContinuation(bytes[start])) start += 1
  return start
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
