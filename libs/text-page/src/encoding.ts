/** How the bytes of a text are to be read; `bomBytes` at its beginning are not part of it. */
export interface TextEncoding {
  readonly name: 'utf-8' | 'utf-16le' | 'utf-16be'
  readonly bomBytes: number
}

/** How many bytes from the beginning decide whether content is text (S-02). */
export const sniffBytes = 8_192

/** The encoding by the first bytes; undefined for a binary: a NUL character, or bytes of no encoding (S-02). */
export function encodingOf(head: Uint8Array): TextEncoding | undefined {
  const sample = head.subarray(0, sniffBytes)
  const [first, second, third] = sample
  if (first === 0xff && second === 0xfe) return textOf(sample, { name: 'utf-16le', bomBytes: 2 })
  if (first === 0xfe && second === 0xff) return textOf(sample, { name: 'utf-16be', bomBytes: 2 })
  const bom = first === 0xef && second === 0xbb && third === 0xbf
  return textOf(sample, { name: 'utf-8', bomBytes: bom ? 3 : 0 })
}

function textOf(sample: Uint8Array, encoding: TextEncoding): TextEncoding | undefined {
  try {
    const decoder = new TextDecoder(encoding.name, { fatal: true, ignoreBOM: true })
    // A sample of full length may end inside a character.
    const stream = sample.length >= sniffBytes
    return decoder.decode(sample, { stream }).includes('\0') ? undefined : encoding
  } catch {
    return undefined
  }
}
