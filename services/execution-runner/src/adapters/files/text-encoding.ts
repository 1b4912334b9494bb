/** How the bytes of a text are to be read; `bomBytes` at its beginning are not part of it. */
export interface TextEncoding {
  readonly name: 'utf-8' | 'utf-16le' | 'utf-16be'
  readonly bomBytes: number
}

/** The encoding by the first 8192 bytes; undefined for a binary file: NUL, or not UTF-8 (S-02). */
export function encodingOf(start: Buffer): TextEncoding | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return { name: 'utf-16le', bomBytes: 2 }
  if (start[0] === 0xfe && start[1] === 0xff) return { name: 'utf-16be', bomBytes: 2 }
  if (start.includes(0) || !isUtf8(start)) return undefined
  const bom = start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf
  return { name: 'utf-8', bomBytes: bom ? 3 : 0 }
}

/** How much of a file decides. */
export const sniffBytes = 8_192

/** The sample may end inside a character. */
function isUtf8(sample: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(sample, {
      stream: sample.length >= sniffBytes,
    })
    return true
  } catch {
    return false
  }
}

/** The text in an encoding, as it stands in a file of it. */
export function encodeText(text: string, { name }: TextEncoding): Buffer {
  switch (name) {
    case 'utf-8':
      return Buffer.from(text, 'utf8')
    case 'utf-16le':
      return Buffer.from(text, 'utf16le')
    case 'utf-16be':
      return Buffer.from(text, 'utf16le').swap16()
  }
}
