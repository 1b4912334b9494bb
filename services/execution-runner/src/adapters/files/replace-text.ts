import { PlatformError, invalid } from '@sciencediscovery/kernel'
import { type TextEncoding, encodingOf, sniffBytes } from '@sciencediscovery/text-page'
import { encodeText } from './text-encoding.js'

/** What to replace, literally. */
export interface Replacement {
  readonly path: string
  readonly oldText: string
  readonly newText: string
  readonly all: boolean
}

export interface Replaced {
  readonly content: Buffer
  readonly replacements: number
}

/**
 * Replaces text in the bytes of a file. Works on bytes, so that everything it does not touch stays as it
 * is, whatever its encoding (BR-006, BR-008), and no text has a meaning (BR-001, BR-002).
 */
export function replaceText(content: Buffer, order: Replacement): Replaced {
  const { path, oldText, newText, all } = order
  if (oldText === '') throw invalid('old_string', 'is empty', 'send the text to replace')
  if (oldText === newText) throw invalid('new_string', 'is what is there already')
  const encoding = encodingToEdit(content, order)
  const words = spellings(content, encoding, order)
  const found = words
    .map(({ from, to }) => ({ to, from, places: placesOf(content, from, encoding) }))
    .find(({ places }) => places.length > 0)
  if (!found) throw noMatch(path)
  const { places } = found
  if (!all) refuseSeveral(content, { ...found, encoding, path })
  return { content: spliced(content, found), replacements: places.length }
}

/** Places that overlap leave it just as open which one is meant. */
function refuseSeveral(
  content: Buffer,
  found: {
    readonly from: Buffer
    readonly places: readonly number[]
    readonly encoding: TextEncoding
    readonly path: string
  },
): void {
  const { from, places, encoding, path } = found
  if (places.length > 1) throw severalMatches(path, places.length)
  const unit = unitBytes(encoding)
  const rest = content.subarray((places[0] ?? 0) + unit)
  if (placesOf(rest, from, encoding).length > 0) throw severalMatches(path, 2)
}

/** Text that is not UTF-8 keeps its bytes; what is put in must then be plain ASCII. */
function encodingToEdit(content: Buffer, { path, oldText, newText }: Replacement): TextEncoding {
  const found = encodingOf(content.subarray(0, sniffBytes))
  if (found && (found.name !== 'utf-8' || isUtf8(content))) return found
  if (content.includes(0)) {
    throw new PlatformError('refused', `${path} is a binary file`, { reason: 'binary_file' })
  }
  if (!isAscii(oldText) || !isAscii(newText)) {
    throw new PlatformError(
      'refused',
      `${path} is not UTF-8: other than ASCII text cannot be edited in it`,
      {
        reason: 'not_utf8',
        remedy: 'convert the file to UTF-8 first, or edit ASCII text only',
      },
    )
  }
  return { name: 'utf-8', bomBytes: 0 }
}

function isUtf8(content: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(content)
    return true
  } catch {
    return false
  }
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

interface Spelling {
  readonly from: Buffer
  readonly to: Buffer
}

/** As it was sent; then with the line ends of the file (BR-004). In a CRLF file no bare LF comes in. */
function spellings(content: Buffer, encoding: TextEncoding, order: Replacement): Spelling[] {
  const { oldText, newText } = order
  const encode = (text: string): Buffer => encodeText(text, encoding)
  const spell = (from: string, to: string): Spelling => ({ from: encode(from), to: encode(to) })
  const crlfOnly = usesOnlyCrlf(content, encoding)
  const exact = spell(oldText, crlfOnly ? toCrlf(newText) : newText)
  return [exact, spell(toCrlf(oldText), toCrlf(newText)), spell(toLf(oldText), toLf(newText))]
}

function toLf(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

function toCrlf(text: string): string {
  return toLf(text).replaceAll('\n', '\r\n')
}

function usesOnlyCrlf(content: Buffer, encoding: TextEncoding): boolean {
  const crlf = placesOf(content, encodeText('\r\n', encoding), encoding).length
  return crlf > 0 && crlf === placesOf(content, encodeText('\n', encoding), encoding).length
}

/** Places that do not overlap; in a text of two-byte units only at whole units. */
function placesOf(content: Buffer, wanted: Buffer, encoding: TextEncoding): number[] {
  const unit = unitBytes(encoding)
  const places: number[] = []
  for (let at = content.indexOf(wanted); at >= 0;) {
    const aligned = at % unit === 0
    if (aligned) places.push(at)
    at = content.indexOf(wanted, aligned ? at + wanted.length : at + 1)
  }
  return places
}

function unitBytes({ name }: TextEncoding): number {
  return name === 'utf-8' ? 1 : 2
}

function spliced(
  content: Buffer,
  { from, to, places }: Spelling & { readonly places: readonly number[] },
): Buffer {
  const parts: Buffer[] = []
  let done = 0
  for (const place of places) {
    parts.push(content.subarray(done, place), to)
    done = place + from.length
  }
  return Buffer.concat([...parts, content.subarray(done)])
}

function noMatch(path: string): PlatformError {
  return new PlatformError('refused', `old_string is not in ${path}`, {
    field: 'old_string',
    reason: 'no_match',
    remedy: 'read the file and send the text exactly as it stands there',
  })
}

function severalMatches(path: string, count: number): PlatformError {
  return new PlatformError('refused', `old_string has ${count} matches in ${path}`, {
    field: 'old_string',
    reason: 'several_matches',
    remedy: 'send more of the text around it, or replace_all',
  })
}
