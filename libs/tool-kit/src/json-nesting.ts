const quote = 0x22
const backslash = 0x5c
const opening = new Set([0x5b, 0x7b])
const closing = new Set([0x5d, 0x7d])

/** Where JSON text first nests deeper than allowed; undefined when it does not. Looks at brackets outside texts only. */
export function offsetOfExcessNesting(text: string, maxDepth: number): number | undefined {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfText(text, at)
    else if (closing.has(code)) depth -= 1
    else if (opening.has(code)) {
      depth += 1
      if (depth > maxDepth) return at
    }
  }
  return undefined
}

function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === backslash) at += 1
    else if (code === quote) return at
  }
  return text.length
}
