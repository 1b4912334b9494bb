/** The first thing that is wrong in JSON text. */
export interface JsonProblem {
  readonly offset: number
  readonly problem: string
}

const blank = /[ \t\n\r]*/y
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/**
 * Finds where JSON text goes wrong, since engines differ in what they say of it. For text that
 * `JSON.parse` refused and whose nesting is bounded; undefined when nothing is wrong.
 */
export function findJsonProblem(text: string): JsonProblem | undefined {
  const value = readValue(text, skip(text, blank, 0))
  if (typeof value !== 'number') return value
  const end = skip(text, blank, value)
  return end < text.length
    ? { offset: end, problem: 'expected nothing after the end of the value' }
    : undefined
}

/** The offset behind what was read, or what is wrong. */
type Reading = number | JsonProblem

function readValue(text: string, at: number): Reading {
  switch (text[at]) {
    case '{':
      return readMembers(text, at, '}', readMember)
    case '[':
      return readMembers(text, at, ']', readValue)
    case '"':
      return readText(text, at)
    case undefined:
      return { offset: at, problem: 'expected a value, but the text ends' }
    default: {
      const end = skip(text, literal, at)
      return end > at ? end : { offset: at, problem: 'expected a value' }
    }
  }
}

function readMembers(
  text: string,
  start: number,
  close: string,
  read: (text: string, at: number) => Reading,
): Reading {
  let at = skip(text, blank, start + 1)
  if (text[at] === close) return at + 1
  for (;;) {
    const end = read(text, at)
    if (typeof end !== 'number') return end
    at = skip(text, blank, end)
    if (text[at] === close) return at + 1
    if (text[at] !== ',') return { offset: at, problem: `expected ',' or '${close}'` }
    const comma = at
    at = skip(text, blank, at + 1)
    if (text[at] === close) return { offset: comma, problem: `a comma stands before '${close}'` }
  }
}

function readMember(text: string, start: number): Reading {
  if (text[start] !== '"') {
    return { offset: start, problem: 'expected a property name in double quotes' }
  }
  const name = readText(text, start)
  if (typeof name !== 'number') return name
  const colon = skip(text, blank, name)
  if (text[colon] !== ':') return { offset: colon, problem: "expected ':'" }
  return readValue(text, skip(text, blank, colon + 1))
}

function readText(text: string, start: number): Reading {
  let at = start + 1
  for (;;) {
    while (isPlain(text.charCodeAt(at))) at += 1
    if (text[at] === '"') return at + 1
    if (at >= text.length) return { offset: start, problem: 'a text without its closing quote' }
    if (text[at] !== '\\') {
      return {
        offset: at,
        problem: 'a control character inside a text: write it as \\n, \\t or \\u00..',
      }
    }
    const end = skip(text, escape, at)
    if (end === at)
      return { offset: at, problem: 'not an escape of JSON: write a backslash as \\\\' }
    at = end
  }
}

/** Neither quote, backslash nor control character; false behind the end. */
function isPlain(code: number): boolean {
  return code >= 0x20 && code !== 0x22 && code !== 0x5c
}

function skip(text: string, pattern: RegExp, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
