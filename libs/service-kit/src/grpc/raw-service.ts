import type { RawCall } from './call.js'

/** A method below the message types: encoded messages in, encoded messages out. */
export type RawMethod =
  | {
      readonly kind: 'unary'
      readonly path: string
      readonly handle: (request: Buffer, call: RawCall) => Promise<Buffer>
    }
  | {
      readonly kind: 'serverStream'
      readonly path: string
      readonly handle: (request: Buffer, call: RawCall) => AsyncIterable<Buffer>
    }
  | {
      readonly kind: 'clientStream'
      readonly path: string
      readonly handle: (requests: AsyncIterable<Buffer>, call: RawCall) => Promise<Buffer>
    }

/** A whole service below the message types: what a server can mount. */
export type RawService = readonly RawMethod[]
