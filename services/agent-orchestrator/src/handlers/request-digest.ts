import { createHash } from 'node:crypto'

/** The generated side of a request. */
interface Encoder<Request> {
  encode(request: Request): { finish(): Uint8Array }
}

/** What a request asks for, beside its key: kept with the commit, so that the key stands for nothing else. */
export function requestDigestOf<Request extends { readonly idempotencyKey: string }>(
  encoder: Encoder<Request>,
  request: Request,
): string {
  const bytes = encoder.encode({ ...request, idempotencyKey: '' }).finish()
  return createHash('sha256').update(bytes).digest('hex')
}
