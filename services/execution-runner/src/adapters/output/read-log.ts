import {
  type LogChunk,
  type LogPage,
  type LogRange,
  type OutputPiece,
  type OutputRange,
  type OutputStream,
} from '../../output.js'
import { bytesOfCharacters, incompleteStart } from './characters.js'

/** Both outputs and the order in which they came. */
export interface LogSource {
  /** Lengths of runs, the first one of stdout. */
  readonly runs: readonly number[]
  /** What is retained of the range. */
  read(range: OutputRange): AsyncIterable<OutputPiece>
}

const chunkCharacters = 4096
/** A character has four bytes at most. */
const chunkBytes = chunkCharacters * 4
const lineFeed = 0x0a

/** A stretch of one stream in the order of both. */
interface Stretch {
  readonly stream: OutputStream
  /** In the stream. */
  readonly offset: number
  /** In the order. */
  readonly cursor: number
  readonly length: number
}

/** A page of the log. A cursor beyond the end gives the true end, so that the next page goes on there. */
export async function readLog(source: LogSource, range: LogRange): Promise<LogPage> {
  const total = source.runs.reduce((sum, length) => sum + length, 0)
  const page: Page = { chunks: [], at: Math.min(range.cursor, total), gap: false }
  for (const stretch of stretchesFrom(source.runs, page.at)) {
    if (page.chunks.length >= range.limit) break
    await readStretch(source, { stretch, range, page })
  }
  const { chunks, at: nextCursor, gap: retentionTruncated } = page
  return { chunks, nextCursor, truncated: nextCursor < total, retentionTruncated }
}

/** A page that is being filled. */
interface Page {
  readonly chunks: LogChunk[]
  at: number
  gap: boolean
}

interface Reading {
  readonly stretch: Stretch
  readonly range: LogRange
  readonly page: Page
}

async function readStretch(source: LogSource, { stretch, range, page }: Reading): Promise<void> {
  const end = stretch.cursor + stretch.length
  while (page.at < end && page.chunks.length < range.limit) {
    const found = await chunkAt(source, stretch, { at: page.at, byLine: range.byLine })
    page.gap ||= found?.behindGap ?? true
    const { cursor, text, nextCursor } = found ?? { cursor: 0, text: '', nextCursor: end }
    if (text !== '') page.chunks.push({ cursor, stream: stretch.stream, text })
    page.at = nextCursor
  }
}

function* stretchesFrom(runs: readonly number[], cursor: number): Generator<Stretch> {
  const offsets = { stdout: 0, stderr: 0 }
  let start = 0
  for (const [index, length] of runs.entries()) {
    const stream = index % 2 === 0 ? 'stdout' : 'stderr'
    if (start + length > cursor) yield { stream, offset: offsets[stream], cursor: start, length }
    offsets[stream] += length
    start += length
  }
}

interface FoundChunk {
  readonly cursor: number
  readonly nextCursor: number
  readonly text: string
  /** What was wanted before it is not retained. */
  readonly behindGap: boolean
}

/** The first chunk that is retained from the place on; undefined when the stretch holds none any more. */
async function chunkAt(
  source: LogSource,
  { stream, offset, cursor, length }: Stretch,
  { at, byLine }: { readonly at: number; readonly byLine: boolean },
): Promise<FoundChunk | undefined> {
  const wanted = { stream, offset: offset + at - cursor, length: cursor + length - at }
  const found = await firstBytes(source.read(wanted))
  if (!found) return undefined
  // A cursor that nobody was given, or the edge of what is retained, may be inside a character.
  const start = incompleteStart(found.bytes)
  const bytes = found.bytes.subarray(start)
  const taken = bytes.subarray(0, lengthOfChunk(bytes, byLine))
  const from = cursor + found.offset - offset + start
  const behindGap = found.offset > wanted.offset
  const nextCursor = from + taken.length
  return { cursor: from, nextCursor, text: taken.toString('utf8'), behindGap }
}

/** Enough for a chunk, from one place on without a gap. */
async function firstBytes(
  pieces: AsyncIterable<OutputPiece>,
): Promise<{ readonly offset: number; readonly bytes: Buffer } | undefined> {
  const parts: Uint8Array[] = []
  let [offset, length] = [-1, 0]
  for await (const piece of pieces) {
    if (offset < 0) ({ offset } = piece)
    if (piece.offset !== offset + length) break
    parts.push(piece.content)
    length += piece.content.length
    if (length >= chunkBytes) break
  }
  return offset < 0 ? undefined : { offset, bytes: Buffer.concat(parts).subarray(0, chunkBytes) }
}

/** Cut behind a line where that costs no more than half of the chunk. */
function lengthOfChunk(bytes: Buffer, byLine: boolean): number {
  const most = bytesOfCharacters(bytes, chunkCharacters)
  const firstLine = bytes.subarray(0, most).indexOf(lineFeed) + 1
  if (byLine) return firstLine === 0 ? most : firstLine
  if (most === bytes.length) return most
  const lastLine = bytes.subarray(0, most).lastIndexOf(lineFeed) + 1
  return lastLine > most / 2 ? lastLine : most
}
