import { PlatformError } from '@sciencediscovery/kernel'
import type { RpcMethod } from './method.js'

/** The request of a method, or `invalid` when the bytes are not one. */
export function decodeRequest(method: RpcMethod, bytes: Buffer): unknown {
  try {
    return method.requestDeserialize(bytes)
  } catch (cause) {
    throw new PlatformError('invalid', `request: not a message of ${method.path}`, {
      field: 'request',
      remedy: 'encode the request message of this method with the same proto version',
      cause,
    })
  }
}

/** The response of a method, or `bug` when the server sent something else. */
export function decodeResponse(method: RpcMethod, bytes: Buffer): unknown {
  try {
    return method.responseDeserialize(bytes)
  } catch (cause) {
    throw new PlatformError('bug', `the answer is not a message of ${method.path}`, { cause })
  }
}

/** The encoded request, or `invalid` when a value does not fit its field. */
export function encodeRequest(method: RpcMethod, request: unknown): Buffer {
  try {
    return method.requestSerialize(request)
  } catch (cause) {
    throw new PlatformError('invalid', `request: does not fit ${method.path}`, {
      field: 'request',
      remedy: 'give every field of the request a value of its type',
      cause,
    })
  }
}
