import { type TextEncoding } from '@sciencediscovery/text-page'

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
