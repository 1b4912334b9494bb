import { type ErrorCode, isPlatformError, PlatformError } from '@sciencediscovery/kernel'

interface Meaning {
  readonly code: ErrorCode
  readonly message: string
  readonly remedy?: string
}

const lostConnection: Meaning = { code: 'unavailable', message: 'the database connection was lost' }
const migrateRemedy = 'run the migrations of this service (`make migrate`)'

/** What a SQLSTATE means to a caller. Longest prefix wins; what is not listed is a bug of ours. */
const meanings = new Map<string, Meaning>([
  ['08', lostConnection],
  ['22', { code: 'invalid', message: 'the database refused a value' }],
  ['23505', { code: 'already_exists', message: 'a row with this key exists' }],
  ['25006', { code: 'unavailable', message: 'the database is read-only' }],
  [
    '28',
    { code: 'unavailable', message: 'the database refused the login', remedy: 'check PG_URL' },
  ],
  [
    '3D000',
    { code: 'unavailable', message: 'the database does not exist', remedy: 'check PG_URL' },
  ],
  ['3F000', { code: 'unavailable', message: 'the schema does not exist', remedy: migrateRemedy }],
  ['40', { code: 'conflict', message: 'a concurrent transaction was faster' }],
  ['42P01', { code: 'unavailable', message: 'a table does not exist', remedy: migrateRemedy }],
  ['53', { code: 'exhausted', message: 'the database is out of resources' }],
  ['53300', { code: 'unavailable', message: 'the database has no free connection' }],
  ['55P03', { code: 'unavailable', message: 'a row is locked' }],
  ['57014', { code: 'deadline', message: 'the statement took too long' }],
  ['57P', { code: 'unavailable', message: 'the database is shutting down' }],
  ['25P03', lostConnection],
  ['58', { code: 'unavailable', message: 'the database has a system error' }],
])

const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
])
const connectionMessages =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|The server does not support)/

/** An error of either driver in our own terms; `cause` keeps the original for the log. */
export function fromDatabaseError(error: unknown): PlatformError {
  if (isPlatformError(error)) return error
  const meaning = meaningOf(error)
  const { code, message, remedy } = meaning ?? {
    code: 'bug' as const,
    message: 'a database statement failed',
    remedy: undefined,
  }
  const detail =
    error instanceof Error && error.message !== ''
      ? `${message}: ${firstLine(error.message)}`
      : message
  return new PlatformError(code, detail, {
    cause: error,
    ...(remedy === undefined ? {} : { remedy }),
  })
}

/** Whether the connection cannot be used again after this error. */
export function endsConnection(error: unknown): boolean {
  if (isPlatformError(error)) return endsConnection(error.cause)
  const code = codeOf(error)
  if (code !== undefined) return connectionCodes.has(code) || /^(08|57P|25P03)/.test(code)
  return (
    error instanceof Error &&
    (connectionMessages.test(error.message) || error.message === 'Query read timeout')
  )
}

function meaningOf(error: unknown): Meaning | undefined {
  const code = codeOf(error)
  if (code !== undefined) return connectionCodes.has(code) ? lostConnection : meaningOfState(code)
  if (!(error instanceof Error)) return undefined
  if (error.message === 'Query read timeout')
    return { code: 'deadline', message: 'the database did not answer' }
  return connectionMessages.test(error.message) ? lostConnection : undefined
}

function meaningOfState(state: string): Meaning | undefined {
  for (let length = state.length; length >= 2; length--) {
    const meaning = meanings.get(state.slice(0, length))
    if (meaning !== undefined) return meaning
  }
  return undefined
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text
}
