import { textOf } from './char-page.js'
import { countCharacters, fittingEnd, fittingStart } from './characters.js'
import { maxPageBytes } from './line-page.js'

/** What to look for in a text. */
export interface TextSearch {
  /** Literal: no character of it has a meaning. */
  readonly query: string
  readonly caseSensitive: boolean
  /** Characters to show on each side of a match. */
  readonly contextChars: number
  /** Matches to skip. */
  readonly matchOffset: number
  readonly maxMatches: number
}

/** One place where the query stands. */
export interface TextMatch {
  /** Characters before it in the whole text. */
  readonly charOffset: number
  /** 1-based. */
  readonly line: number
  readonly before: string
  readonly match: string
  readonly after: string
}

/** The places that were asked for, and how many there are. */
export interface FoundMatches {
  readonly matches: readonly TextMatch[]
  readonly totalMatches: number
  readonly hasMore: boolean
}

/** Finds text in a UTF-8 text that comes in pieces; memory stays at one page and one window. */
export async function searchText(
  utf8: AsyncIterable<Uint8Array>,
  search: TextSearch,
  maxBytes: number = maxPageBytes,
): Promise<FoundMatches> {
  const finder = new Finder(search, maxBytes)
  for await (const text of textOf(utf8)) finder.add(text)
  return finder.finish()
}

const windowUnits = 256 * 1024

class Finder {
  readonly #search: TextSearch
  readonly #pattern: RegExp
  readonly #marginUnits: number
  readonly #matches: TextMatch[] = []
  #roomBytes: number
  #total = 0
  #window = ''
  /** Characters and newlines before the window. */
  #charsBefore = 0
  #linesBefore = 0
  /** Where in the window to look on. */
  #from = 0

  constructor(search: TextSearch, maxBytes: number) {
    this.#search = search
    this.#roomBytes = maxBytes
    const literal = search.query.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
    this.#pattern = new RegExp(literal, search.caseSensitive ? 'gu' : 'giu')
    // A character takes two units at most, and so does its other case.
    this.#marginUnits = 2 * (search.contextChars + search.query.length)
  }

  add(text: string): void {
    this.#window += text
    if (this.#window.length < windowUnits + 2 * this.#marginUnits) return
    this.#scan(this.#window.length - this.#marginUnits)
    this.#drop()
  }

  finish(): FoundMatches {
    this.#scan(this.#window.length)
    const shown = this.#search.matchOffset + this.#matches.length
    return { matches: this.#matches, totalMatches: this.#total, hasMore: shown < this.#total }
  }

  /** Takes matches that begin before `end`: those have all of their context in the window. */
  #scan(end: number): void {
    let counted = { at: 0, chars: this.#charsBefore, lines: this.#linesBefore }
    this.#pattern.lastIndex = this.#from
    for (;;) {
      const found = this.#pattern.exec(this.#window)
      if (!found || found.index >= end) break
      if (this.#isWanted()) {
        counted = advanced(this.#window, counted, found.index)
        this.#keep(found[0], found.index, counted)
      }
      this.#total += 1
      this.#from = found.index + found[0].length
    }
    this.#from = Math.max(this.#from, end)
  }

  #isWanted(): boolean {
    const { matchOffset, maxMatches } = this.#search
    return this.#total >= matchOffset && this.#matches.length < maxMatches && this.#roomBytes > 0
  }

  #keep(match: string, at: number, { chars, lines }: Counted): void {
    const { contextChars } = this.#search
    const whole = {
      before: lastCharacters(this.#window.slice(0, at), contextChars),
      after: firstCharacters(this.#window.slice(at + match.length), contextChars),
    }
    const first = this.#matches.length === 0
    const bytes = Buffer.byteLength(whole.before + match + whole.after)
    if (bytes > this.#roomBytes && !first) {
      this.#roomBytes = 0
      return
    }
    const sideBytes = Math.max(0, Math.floor((this.#roomBytes - Buffer.byteLength(match)) / 2))
    const context = bytes > this.#roomBytes ? trimmed(whole, sideBytes) : whole
    this.#roomBytes -= bytes
    this.#matches.push({ charOffset: chars, line: lines + 1, match, ...context })
  }

  #drop(): void {
    const wanted = Math.min(this.#from, this.#window.length) - this.#marginUnits
    // A character that is split here is counted once, by its first half; no context reaches that far.
    const at = Math.max(0, wanted)
    const dropped = this.#window.slice(0, at)
    this.#charsBefore += countCharacters(dropped)
    this.#linesBefore += newlinesIn(dropped)
    this.#window = this.#window.slice(at)
    this.#from -= at
  }
}

interface Counted {
  readonly at: number
  readonly chars: number
  readonly lines: number
}

function advanced(window: string, from: Counted, to: number): Counted {
  const between = window.slice(from.at, to)
  return {
    at: to,
    chars: from.chars + countCharacters(between),
    lines: from.lines + newlinesIn(between),
  }
}

interface Context {
  readonly before: string
  readonly after: string
}

function trimmed({ before, after }: Context, sideBytes: number): Context {
  return { before: fittingEnd(before, sideBytes), after: fittingStart(after, sideBytes) }
}

function lastCharacters(text: string, count: number): string {
  return count === 0
    ? ''
    : Array.from(text.slice(-2 * count))
        .slice(-count)
        .join('')
}

function firstCharacters(text: string, count: number): string {
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('')
}

function newlinesIn(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}
