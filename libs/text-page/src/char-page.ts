import { countCharacters, fittingStart, indexAfter } from './characters.js'
import { maxPageBytes } from './line-page.js'

/** Which characters of a text. */
export interface CharRange {
  /** Characters to skip from the beginning of the text. */
  readonly charOffset: number
  /** Characters at most. */
  readonly charLimit: number
}

/** Some characters of a text. */
export interface CharPage {
  readonly content: string
  readonly charOffset: number
  /** Characters of the page. */
  readonly chars: number
  readonly totalChars: number
  readonly hasMore: boolean
  /** Where to go on; 0 on the last page. */
  readonly nextCharOffset: number
}

/** Cuts characters out of a UTF-8 text that comes in pieces; memory stays at one page and one piece. */
export async function readCharPage(
  utf8: AsyncIterable<Uint8Array>,
  range: CharRange,
  maxBytes: number = maxPageBytes,
): Promise<CharPage> {
  const { charOffset, charLimit } = range
  let seen = 0
  let content = ''
  let chars = 0
  let full = false
  for await (const text of textOf(utf8)) {
    const before = seen
    seen += countCharacters(text)
    if (full || seen <= charOffset) continue
    const wanted = text.slice(indexAfter(text, Math.max(0, charOffset - before)))
    const some = wanted.slice(0, indexAfter(wanted, charLimit - chars))
    const fitting = fittingStart(some, maxBytes - Buffer.byteLength(content))
    content += fitting
    chars += countCharacters(fitting)
    full = fitting.length < some.length || chars === charLimit
  }
  const next = charOffset + chars
  const hasMore = chars > 0 && next < seen
  return {
    ...{ content, charOffset, chars, totalChars: seen, hasMore },
    nextCharOffset: hasMore ? next : 0,
  }
}

/** The text of UTF-8 bytes in pieces; half a character waits for its other half. */
export async function* textOf(utf8: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  for await (const piece of utf8) yield decoder.decode(piece, { stream: true })
  yield decoder.decode()
}

/** How many characters stand before a line, 1-based. */
export async function charactersBefore(
  utf8: AsyncIterable<Uint8Array>,
  line: number,
): Promise<number> {
  let passed = 1
  let characters = 0
  for await (const text of textOf(utf8)) {
    for (let from = 0; from < text.length && passed < line;) {
      const found = text.indexOf('\n', from)
      const to = found < 0 ? text.length : found + 1
      characters += countCharacters(text.slice(from, to))
      if (found >= 0) passed += 1
      from = to
    }
    if (passed >= line) break
  }
  return characters
}
