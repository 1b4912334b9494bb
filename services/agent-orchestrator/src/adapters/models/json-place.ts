/** Where JSON text stops being JSON. */
export interface JsonPlace {
  readonly line: number
  readonly column: number
  readonly expected: string
}

type Expectation = 'value' | 'item' | 'entry' | 'key' | 'colon' | 'next'
type Step = Expectation | 'open' | 'close' | 'separate'
type Bracket = '{' | '['

const token =
  /[ \t\n\r]*(?:(?<text>"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[ !#-[\]-\uffff]*)*")|(?<scalar>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w))|(?<mark>[{}[\],:]))/y

const words: Readonly<Record<Expectation, string>> = {
  value: 'a value',
  item: 'a value or ]',
  entry: 'a key in double quotes or }',
  key: 'a key in double quotes',
  colon: 'a colon',
  next: 'a comma or the end of the list or object',
}

/** What may come where; `text` and `scalar` stand for values, the rest for themselves. */
const grammar: Readonly<Record<Expectation, ReadonlyMap<string, Step>>> = {
  value: new Map([
    ['text', 'next'],
    ['scalar', 'next'],
    ['{', 'open'],
    ['[', 'open'],
  ]),
  item: new Map([
    ['text', 'next'],
    ['scalar', 'next'],
    ['{', 'open'],
    ['[', 'open'],
    [']', 'close'],
  ]),
  entry: new Map([
    ['text', 'colon'],
    ['}', 'close'],
  ]),
  key: new Map([['text', 'colon']]),
  colon: new Map([[':', 'value']]),
  next: new Map([
    [',', 'separate'],
    ['}', 'close'],
    [']', 'close'],
  ]),
}

/**
 * The place of the first JSON error. `JSON.parse` tells it differently in each version of
 * Node, and not at all for short texts.
 */
export function findJsonError(text: string): JsonPlace {
  const open: Bracket[] = []
  let expectation: Expectation = 'value'
  let offset = 0
  for (;;) {
    token.lastIndex = offset
    const found = token.exec(text)
    const next: Expectation | undefined =
      found === null ? undefined : follow(kindOf(found), expectation, open)
    if (next === undefined) return placeOf(text, offset, expectation, open.length)
    offset = token.lastIndex
    expectation = next
  }
}

function kindOf({ groups = {} }: RegExpExecArray): string {
  if (groups['text'] !== undefined) return 'text'
  return groups['mark'] ?? 'scalar'
}

function follow(kind: string, expectation: Expectation, open: Bracket[]): Expectation | undefined {
  const step = grammar[expectation].get(kind)
  switch (step) {
    case 'open':
      open.push(kind === '{' ? '{' : '[')
      return kind === '{' ? 'entry' : 'item'
    case 'close':
      return open.pop() === (kind === '}' ? '{' : '[') ? 'next' : undefined
    case 'separate':
      return open.length === 0 ? undefined : open.at(-1) === '{' ? 'key' : 'value'
    case 'value':
    case 'item':
    case 'entry':
    case 'key':
    case 'colon':
    case 'next':
    case undefined:
      return step
  }
}

function placeOf(
  text: string,
  offset: number,
  expectation: Expectation,
  openCount: number,
): JsonPlace {
  const blank = /^[ \t\n\r]*/.exec(text.slice(offset))?.[0].length ?? 0
  const before = text.slice(0, offset + blank)
  const atEnd = before.length >= text.length
  const wanted = expectation === 'next' && openCount === 0 ? 'the end' : words[expectation]
  return {
    line: before.split('\n').length,
    column: before.length - before.lastIndexOf('\n'),
    expected: atEnd ? `${wanted}, but the text ends` : wanted,
  }
}
