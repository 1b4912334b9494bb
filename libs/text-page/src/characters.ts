/** How many characters (Unicode code points) a well-formed text has. */
export function countCharacters(text: string): number {
  let low = 0
  for (let at = 0; at < text.length; at += 1) if (isLow(text.charCodeAt(at))) low += 1
  return text.length - low
}

/** Where the text goes on after so many characters; its length when it has fewer. */
export function indexAfter(text: string, characters: number): number {
  let at = 0
  for (let left = characters; left > 0 && at < text.length; left -= 1) {
    at += isHigh(text.charCodeAt(at)) ? 2 : 1
  }
  return Math.min(at, text.length)
}

/** The longest beginning of at most so many UTF-8 bytes, never half a character. */
export function fittingStart(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text
  const { read } = encoder.encodeInto(text, new Uint8Array(Math.max(0, maxBytes)))
  return text.slice(0, read)
}

/** The longest end of at most so many UTF-8 bytes, never half a character. */
export function fittingEnd(text: string, maxBytes: number): string {
  let at = Math.max(0, text.length - Math.max(0, maxBytes))
  while (at < text.length && Buffer.byteLength(text.slice(at)) > maxBytes) {
    at += Math.max(1, Math.floor((Buffer.byteLength(text.slice(at)) - maxBytes) / 4))
  }
  if (at > 0 && isLow(text.charCodeAt(at))) at += 1
  return text.slice(at)
}

const encoder = new TextEncoder()

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
