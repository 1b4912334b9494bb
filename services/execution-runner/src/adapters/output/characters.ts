/** Bytes at the end that are the beginning of a character whose rest is not there. */
export function incompleteEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return lengthOfCharacter(byte) > back ? back : 0
  }
  return 0
}

/** Bytes at the start that are the end of a character whose beginning is not there. */
export function incompleteStart(bytes: Uint8Array): number {
  let start = 0
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start])) start += 1
  return start
}

/** Bytes of the longest beginning that is at most so many UTF-16 units long and cuts no character. */
export function bytesOfCharacters(bytes: Uint8Array, most: number): number {
  let units = 0
  let at = 0
  while (at < bytes.length) {
    const length = wholeCharacterAt(bytes, at)
    units += length === 4 ? 2 : 1
    if (units > most) return at
    at += length
  }
  return at
}

/** A byte that begins no character stands for itself. */
function wholeCharacterAt(bytes: Uint8Array, at: number): number {
  const length = lengthOfCharacter(bytes[at] ?? 0)
  for (let next = 1; next < length; next += 1) if (!isContinuation(bytes[at + next])) return 1
  return length
}

function lengthOfCharacter(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 1
  if (lead >= 0xf0) return 4
  return lead >= 0xe0 ? 3 : 2
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
