import { type TextPage } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { type ToolFailure, type ToolResult, errorResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { count, sizeText } from './words.js'

/** A place inside the first line of a page. */
export const CharOffsetSchema = z
  .int()
  .min(0)
  .default(0)
  .describe('Characters to skip in the first line; only to go on inside a very long line')

/** Which lines a page shows, and where to go on. */
export const PageSchema = z.strictObject({
  startLine: z.int(),
  endLine: z.int(),
  totalLines: z.int(),
  hasMore: z.boolean(),
  /** Line to go on with; absent on the last page. */
  nextOffset: z.int().optional(),
  /** What to put into the same call for the next page, as the profile spells it. */
  next: z.strictObject({ offset: z.int(), charOffset: z.int().optional() }).optional(),
  /** The page ends inside a line. */
  partialLine: z.boolean(),
  /** UTF-8 bytes of the page. */
  bytes: z.int(),
})

/** The page as programs read it. */
export function toPage(page: TextPage, asked: PageWords): z.input<typeof PageSchema> {
  const { hasMore, partialLine } = page
  const offset = Number(page.nextOffset) - (asked.zeroBased ? 1 : 0)
  const charOffset = Number(page.nextCharOffset)
  // What was sent for this page must not stay in the call for the next one.
  const next = charOffset > 0 || asked.charOffset > 0 ? { offset, charOffset } : { offset }
  return {
    startLine: Number(page.startLine),
    endLine: Number(page.endLine),
    totalLines: Number(page.totalLines),
    hasMore,
    ...(hasMore && { nextOffset: offset, next }),
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
  /** Characters of that line that the caller skipped. */
  readonly charOffset: number
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
  const fromStart = words.offset === 1 && words.charOffset === 0
  const whole = fromStart && !page.hasMore
  if (whole) return noted(notes, page.content)
  notes.push(`lines ${page.startLine}-${page.endLine} of ${total}${goOn(page, words.zeroBased)}`)
  return noted(notes, page.content)
}

function goOn(page: TextPage, zeroBased: boolean): string {
  if (!page.hasMore) return ', to the end'
  const offset = Number(page.nextOffset) - (zeroBased ? 1 : 0)
  const inside = page.nextCharOffset > 0n ? ` and charOffset ${page.nextCharOffset}` : ''
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

/** What is said of an image: its content goes beside the text, to models that can see. */
export function imageText(name: string, page: TextPage): string {
  return `${name} is an image (${page.mediaType}, ${sizeText(Number(page.sizeBytes))}).`
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
