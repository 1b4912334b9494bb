import { type TextPage } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { type ToolFailure, type ToolResult, errorResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { count, sizeText } from './words.js'

/** Which lines a page shows, and where to go on. */
export const PageSchema = z.strictObject({
  startLine: z.int(),
  endLine: z.int(),
  totalLines: z.int(),
  hasMore: z.boolean(),
  /** Line to go on with; absent on the last page. */
  nextOffset: z.int().optional(),
  /** What to send to go on; `charOffset` when the page ends inside a line. */
  next: z.strictObject({ offset: z.int(), charOffset: z.int().optional() }).optional(),
  /** The page ends inside a line. */
  partialLine: z.boolean(),
  /** UTF-8 bytes of the page. */
  bytes: z.int(),
})

/** The page as programs read it. */
export function toPage(page: TextPage): z.input<typeof PageSchema> {
  const { hasMore, partialLine } = page
  const offset = Number(page.nextOffset)
  const charOffset = Number(page.nextCharOffset)
  return {
    startLine: Number(page.startLine),
    endLine: Number(page.endLine),
    totalLines: Number(page.totalLines),
    hasMore,
    ...(hasMore && {
      nextOffset: offset,
      next: charOffset > 0 ? { offset, charOffset } : { offset },
    }),
    partialLine,
    bytes: Buffer.byteLength(page.content),
  }
}

/** Where lines start to count: what a profile's offsets are shifted by. */
export interface PageWords {
  /** Name of what was read. */
  readonly name: string
  /** First line as the caller asked for it, 1-based. */
  readonly offset: number
  /** Whether the caller counts lines from 0. */
  readonly zeroBased: boolean
  /** What to say above the page. */
  readonly notes: readonly string[]
}

/** A whole small text as it is; a part of one with its lines and how to go on above it (S-02). */
export function pageText(page: TextPage, words: PageWords): string {
  const notes = [...words.notes]
  if (page.encoding !== '' && page.encoding !== 'utf-8') notes.push(`encoding ${page.encoding}`)
  const total = Number(page.totalLines)
  if (page.sizeBytes === 0n) return noted(notes, `[${words.name} is empty: 0 lines]`)
  if (words.offset > total) {
    return noted(notes, `[${words.name} has ${count(total, 'line')}; nothing is left to read]`)
  }
  const whole = Number(page.startLine) <= 1 && !page.hasMore && words.offset === 1
  if (whole) return noted(notes, page.content)
  notes.push(`lines ${page.startLine}-${page.endLine} of ${total}${goOn(page, words.zeroBased)}`)
  return noted(notes, page.content)
}

function goOn(page: TextPage, zeroBased: boolean): string {
  if (!page.hasMore) return ', to the end'
  const offset = Number(page.nextOffset) - (zeroBased ? 1 : 0)
  const inside = page.nextCharOffset > 0n ? ` and char_offset ${page.nextCharOffset}` : ''
  const within = page.partialLine ? ', cut inside the last line' : ''
  return `${within}; go on with offset ${offset}${inside}`
}

function noted(notes: readonly string[], text: string): string {
  return notes.length === 0 ? text : `[${notes.join('; ')}]\n${text}`
}

/** What is said instead of the content of a binary (S-02, S-05): never its bytes. */
export function binaryText(name: string, page: TextPage): string {
  const kind = `${page.mediaType}, ${sizeText(Number(page.sizeBytes))}`
  return `${name} is binary (${kind}). Its content is not shown; look into it with a program through run_shell.`
}

/** The answer to an offset behind the last line (S-02). */
export function pastEnd(name: string, offset: number, totalLines: number): ToolResult<ToolFailure> {
  const lines = count(totalLines, 'line')
  const send = totalLines === 0 ? 'it is empty' : `send an offset from 1 to ${totalLines}`
  return errorResult({
    code: 'INVALID_TOOL_ARGUMENTS',
    message: `offset: ${offset} is past the end: ${name} has ${lines}; ${send}`,
    retryable: true,
  })
}
