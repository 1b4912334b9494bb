import { invalid } from '@sciencediscovery/kernel'
import { z } from 'zod'

const TokenSchema = z.array(z.union([z.string(), z.number()])).max(4)

/** The sort key of the last row of a page, as an opaque token. */
export function encodePageToken(key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

/** The sort key of a token; undefined for the first page; anything else is `invalid` and names `page_token`. */
export function decodePageToken(token: string): readonly (string | number)[] | undefined {
  if (token === '') return undefined
  try {
    return TokenSchema.parse(JSON.parse(Buffer.from(token, 'base64url').toString('utf8')))
  } catch {
    throw invalid(
      'page_token',
      'is not a token of this list',
      'send next_page_token of the page before, or leave it empty',
    )
  }
}
