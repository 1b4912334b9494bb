import { type BlobStore } from '@sciencediscovery/blob-store'
import { derivedId } from '@sciencediscovery/event-store'
import {
  type CharRange,
  type TextSearch,
  charactersBefore,
  readCharPage,
  readLinePage,
  searchText,
} from '@sciencediscovery/text-page'
import { z } from 'zod'
import { count } from './words.js'

/** Which part of a kept output, in one of the three ways of reading (S-19). */
export type OutputPart =
  | { readonly mode: 'lines'; readonly offset: number; readonly limit: number }
  | ({ readonly mode: 'chars' } & CharRange)
  | ({ readonly mode: 'search' } & TextSearch)

const next = z.record(z.string(), z.union([z.int(), z.null()])).optional()

/** What was shown, and what to put into the same call for the next page. */
export const OutputPageSchema = z.discriminatedUnion('mode', [
  z.strictObject({
    mode: z.literal('lines'),
    ...{ startLine: z.int(), endLine: z.int(), totalLines: z.int() },
    ...{ hasMore: z.boolean(), partialLine: z.boolean(), bytes: z.int(), next },
  }),
  z.strictObject({
    mode: z.literal('chars'),
    ...{ charOffset: z.int(), chars: z.int(), totalChars: z.int() },
    ...{ hasMore: z.boolean(), bytes: z.int(), next },
  }),
  z.strictObject({
    mode: z.literal('search'),
    matches: z.array(z.strictObject({ charOffset: z.int(), line: z.int() })),
    ...{ totalMatches: z.int(), hasMore: z.boolean(), bytes: z.int(), next },
  }),
])

/** A part as the model reads it, and as programs do. */
export interface ShownPart {
  readonly text: string
  /** UTF-8 bytes of the output that are shown. */
  readonly bytes: number
  readonly page: z.input<typeof OutputPageSchema>
  /** Equal for equal parts. */
  readonly pageKey: string
}

/** Reads a part of a kept output in little memory. */
export async function readPart(
  blobs: BlobStore,
  digest: string,
  part: OutputPart,
): Promise<ShownPart> {
  const { mode, ...rest } = part
  const asked = JSON.stringify(rest)
  // What a search looks for may be long, and need not be in the log a second time.
  const pageKey = `${mode} ${mode === 'search' ? derivedId('', asked) : asked}`
  const shown = await showPart(() => blobs.read(digest), part)
  return { ...shown, pageKey }
}

type Reading = () => AsyncIterable<Uint8Array>

function showPart(read: Reading, part: OutputPart): Promise<Omit<ShownPart, 'pageKey'>> {
  switch (part.mode) {
    case 'lines':
      return showLines(read, part)
    case 'chars':
      return showCharacters(read, part)
    case 'search':
      return showMatches(read, part)
  }
}

async function showLines(
  read: Reading,
  { offset, limit }: Extract<OutputPart, { mode: 'lines' }>,
): Promise<Omit<ShownPart, 'pageKey'>> {
  const shown = await readLinePage(read(), { offset, limit, charOffset: 0 })
  const { content, startLine, endLine, totalLines, hasMore, partialLine } = shown
  const bytes = Buffer.byteLength(content)
  const page = {
    mode: 'lines' as const,
    startLine,
    endLine,
    totalLines,
    hasMore,
    partialLine,
    bytes,
  }
  if (offset > totalLines) {
    const text = `[the output has ${count(totalLines, 'line')}; nothing is left to read]`
    return { text, bytes, page }
  }
  const head = `lines ${startLine}-${endLine} of ${totalLines}`
  if (!hasMore) return { text: `[${head}, to the end]\n${content}`, bytes, page }
  if (!partialLine) {
    const text = `[${head}; go on with offset ${shown.nextOffset}]\n${content}`
    return { text, bytes, page: { ...page, next: { offset: shown.nextOffset } } }
  }
  // Inside a line one goes on by characters, and those count from the beginning of the output.
  const charOffset = (await charactersBefore(read(), shown.nextOffset)) + shown.nextCharOffset
  const text = `[${head}, cut inside the last line; go on with charOffset ${charOffset} instead of offset]\n${content}`
  return { text, bytes, page: { ...page, next: { offset: null, limit: null, charOffset } } }
}

async function showCharacters(
  read: Reading,
  range: CharRange,
): Promise<Omit<ShownPart, 'pageKey'>> {
  const shown = await readCharPage(read(), range)
  const { content, charOffset, chars, totalChars, hasMore, nextCharOffset } = shown
  const bytes = Buffer.byteLength(content)
  const page = { mode: 'chars' as const, charOffset, chars, totalChars, hasMore, bytes }
  if (chars === 0) {
    const text = `[the output has ${count(totalChars, 'character')}; nothing is left to read]`
    return { text, bytes, page }
  }
  const head = `characters ${charOffset}-${charOffset + chars} of ${totalChars}`
  if (!hasMore) return { text: `[${head}, to the end]\n${content}`, bytes, page }
  const text = `[${head}; go on with charOffset ${nextCharOffset}]\n${content}`
  return { text, bytes, page: { ...page, next: { charOffset: nextCharOffset } } }
}

async function showMatches(read: Reading, search: TextSearch): Promise<Omit<ShownPart, 'pageKey'>> {
  const { matches, totalMatches, hasMore } = await searchText(read(), search)
  const { query, matchOffset } = search
  const whole = matches.map(({ before, match, after }) => `${before}${match}${after}`)
  const blocks = matches.map(({ line, charOffset }, at) => {
    const number = matchOffset + at + 1
    return `[match ${number} of ${totalMatches}: line ${line}, character ${charOffset}]\n${whole[at] ?? ''}`
  })
  const bytes = Buffer.byteLength(whole.join(''))
  const places = matches.map(({ charOffset, line }) => ({ charOffset, line }))
  const page = { mode: 'search' as const, matches: places, totalMatches, hasMore, bytes }
  if (matches.length === 0) {
    const text = `The output has ${totalMatches === 0 ? 'no' : 'no further'} match of ${JSON.stringify(query.slice(0, 200))}.`
    return { text, bytes, page }
  }
  if (!hasMore) return { text: blocks.join('\n'), bytes, page }
  const nextMatch = matchOffset + matches.length
  blocks.push(`[go on with matchOffset ${nextMatch}]`)
  return { text: blocks.join('\n'), bytes, page: { ...page, next: { matchOffset: nextMatch } } }
}
