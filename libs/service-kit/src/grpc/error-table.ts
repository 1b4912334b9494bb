import { status } from '@grpc/grpc-js'
import type { ErrorCode } from '@sciencediscovery/kernel'

const statusByCode = {
  invalid: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  not_found: status.NOT_FOUND,
  already_exists: status.ALREADY_EXISTS,
  refused: status.FAILED_PRECONDITION,
  conflict: status.ABORTED,
  exhausted: status.RESOURCE_EXHAUSTED,
  unavailable: status.UNAVAILABLE,
  unknown: status.UNKNOWN,
  deadline: status.DEADLINE_EXCEEDED,
  cancelled: status.CANCELLED,
  bug: status.INTERNAL,
} as const satisfies Record<ErrorCode, status>

const codeByStatus: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [status.INVALID_ARGUMENT, 'invalid'],
  [status.OUT_OF_RANGE, 'invalid'],
  [status.UNAUTHENTICATED, 'unauthenticated'],
  [status.PERMISSION_DENIED, 'forbidden'],
  [status.NOT_FOUND, 'not_found'],
  // A method that this server does not have: an older server, or the wrong address.
  [status.UNIMPLEMENTED, 'not_found'],
  [status.ALREADY_EXISTS, 'already_exists'],
  [status.FAILED_PRECONDITION, 'refused'],
  [status.ABORTED, 'conflict'],
  [status.RESOURCE_EXHAUSTED, 'exhausted'],
  [status.UNAVAILABLE, 'unavailable'],
  [status.UNKNOWN, 'unknown'],
  [status.DEADLINE_EXCEEDED, 'deadline'],
  [status.CANCELLED, 'cancelled'],
  [status.INTERNAL, 'bug'],
  [status.DATA_LOSS, 'bug'],
])

/** The gRPC status that carries an error code. */
export function toStatusCode(code: ErrorCode): status {
  return statusByCode[code]
}

/** The error code that a gRPC status means to us. */
export function fromStatusCode(code: number): ErrorCode {
  return codeByStatus.get(code) ?? 'unknown'
}
