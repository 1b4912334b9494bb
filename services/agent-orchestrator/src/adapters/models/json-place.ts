/** Where JSON text stops being JSON. */
export interface JsonPlace {
  readonly line: number
  readonly column: number
  readonly expected: string
}

type Expectation = 'value' | 'first value or ]' | 'first key or }' | 'key' | 'colon' | 'comma or end'

const token =
  /[ \t\n\r]*(?:(?<text>"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*")|(?<scalar>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w))|(?<mark>[{}[\],:]))/y

const words: Readonly<Record<Expectation, string>> = {
  value: 'a value',
  'first value or ]': 'a value or ]',
  'first key or }': 'a key in double quotes or }',
  key: 'a key in double quotes',
  colon: 'a colon',
  'comma or end': 'a comma or the end of the list or object',
}

/**
 * The place of the first JSON error. `JSON.parse` tells it differently in each version of
 * Node, and not at all for short texts.
 */
export function findJsonError(text: string): JsonPlace {
  const open: ('{' | '[')[] = []
  let expectation: Expectation = 'value'
  let offset = 0
  for (;;) {
    token.lastIndex = offset
    const found = token.exec(text)
    const next: Expectation | undefined = found === null ? undefined : follow(found, expectation, open)
    if (next === undefined) return placeOf(text, offset, expectation, open)
    offset = token.lastIndex
    expectation = next
  }
}

function follow(
  found: RegExpExecArray,
  expectation: Expectation,
  open: ('{' | '[')[],
): Expectation | undefined {
  const { text, scalar, mark } = found.groups ?? {}
  if (expectation === 'colon') return mark === ':' ? 'value' : undefined
  if (expectation === 'key' || expectation === 'first key or }') {
    if (text !== undefined) return 'colon'
    return mark === '}' && expectation === 'first key or }' ? close('{', open) : undefined
  }
  if (expectation === 'comma or end') return afterValue(mark, open)
  if (text !== undefined || scalar !== undefined) return 'comma or end'
  if (mark === ']' && expectation === 'first value or ]') return close('[', open)
  return begin(mark, open)
}

function begin(mark: string | undefined, open: ('{' | '[')[]): Expectation | undefined {
  if (mark !== '{' && mark !== '[') return undefined
  open.push(mark)
  return mark === '{' ? 'first key or }' : 'first value or ]'
}

function afterValue(mark: string | undefined, open: ('{' | '[')[]): Expectation | undefined {
  if (mark === '}') return close('{', open)
  if (mark === ']') return close('[', open)
  if (mark !== ',' || open.length === 0) return undefined
  return open.at(-1) === '{' ? 'key' : 'value'
}

function close(kind: '{' | '[', open: ('{' | '[')[]): Expectation | undefined {
  if (open.at(-1) !== kind) return undefined
  open.pop()
  return 'comma or end'
}

function placeOf(
  text: string,
  offset: number,
  expectation: Expectation,
  open: readonly string[],
): JsonPlace {
  const blank = /^[ \t\n\r]*/.exec(text.slice(offset))?.[0].length ?? 0
  const before = text.slice(0, offset + blank)
  const atEnd = offset + blank >= text.length
  const wanted = expectation === 'comma or end' && open.length === 0 ? 'the end' : words[expectation]
  return {
    line: before.split('\n').length,
    column: before.length - before.lastIndexOf('\n'),
    expected: atEnd ? `${wanted}, but the text ends` : wanted,
  }
}
