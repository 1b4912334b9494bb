import { invalid } from '@sciencediscovery/kernel'
import { z } from 'zod'

const maxTokenChars = 1_000

/** What the sort key of a list is made of; a text with NUL is in no table. */
export const keyText = z.string().refine((text) => !text.includes('\0'))
export const keyNumber = z.int()

/** The sort key of the last row of a page, as an opaque token. */
export function encodePageToken(key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

/** The sort key of a token; undefined for the first page; anything else is `invalid` and names `page_token`. */
export function decodePageToken<Key>(token: string, schema: z.ZodType<Key>): Key | undefined {
  if (token === '') return undefined
  try {
    if (token.length > maxTokenChars) throw new RangeError('too long')
    return schema.parse(JSON.parse(Buffer.from(token, 'base64url').toString('utf8')))
  } catch {
    throw invalid(
      'page_token',
      'is not a token of this list',
      'send next_page_token of the page before, or leave it empty',
    )
  }
}
