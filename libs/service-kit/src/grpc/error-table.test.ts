import { status } from '@grpc/grpc-js'
import { errorCodes, isPlatformError, PlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { fromErrorStatus, toErrorStatus } from './error-status.js'
import { fromStatusCode, toStatusCode } from './error-table.js'

const table = [
  ['invalid', 'INVALID_ARGUMENT'],
  ['unauthenticated', 'UNAUTHENTICATED'],
  ['forbidden', 'PERMISSION_DENIED'],
  ['not_found', 'NOT_FOUND'],
  ['already_exists', 'ALREADY_EXISTS'],
  ['refused', 'FAILED_PRECONDITION'],
  ['conflict', 'ABORTED'],
  ['exhausted', 'RESOURCE_EXHAUSTED'],
  ['unavailable', 'UNAVAILABLE'],
  ['unknown', 'UNKNOWN'],
  ['deadline', 'DEADLINE_EXCEEDED'],
  ['cancelled', 'CANCELLED'],
  ['bug', 'INTERNAL'],
] as const

describe('error table', () => {
  test.each(table)('%s is %s, both ways', (code, name) => {
    expect(toStatusCode(code)).toBe(status[name])
    expect(fromStatusCode(status[name])).toBe(code)
  })

  test('has a row for every code, and a code for every status', () => {
    expect(table.map(([code]) => code).sort()).toEqual([...errorCodes].sort())
    const mapped = Object.values(status)
      .filter((value) => typeof value === 'number' && value !== status.OK)
      .map((value) => [value, errorCodes.includes(fromStatusCode(value))])
    expect(mapped.every(([, known]) => known)).toBe(true)
    expect(fromStatusCode(status.UNIMPLEMENTED)).toBe('not_found')
    expect(fromStatusCode(status.OUT_OF_RANGE)).toBe('invalid')
    expect(fromStatusCode(status.DATA_LOSS)).toBe('bug')
    expect(fromStatusCode(99)).toBe('unknown')
  })
})

describe('error status', () => {
  const details = { field: 'goal', remedy: 'send a goal', reason: 'empty', retryAfterMs: 0 }

  test.each(errorCodes.filter((code) => code !== 'bug'))('%s keeps message and details', (code) => {
    const back = fromErrorStatus(toErrorStatus(new PlatformError(code, 'goal: is empty', details)))
    expect(isPlatformError(back)).toBe(true)
    expect(back).toMatchObject({ code, message: 'goal: is empty', details })
  })

  test('a bug says nothing of its inside', () => {
    const secret = new PlatformError('bug', 'row 7 of users', { ...details, cause: 'x' })
    for (const thrown of [secret, new Error('row 7 of users'), 'row 7 of users', undefined]) {
      const sent = toErrorStatus(thrown)
      expect(JSON.stringify(sent)).not.toContain('row 7')
      expect(fromErrorStatus(sent)).toMatchObject({
        code: 'bug',
        message: 'internal error',
        details: {},
      })
    }
  })

  test('details that nobody gave do not appear', () => {
    const back = fromErrorStatus(toErrorStatus(new PlatformError('refused', 'no')))
    expect(back.details).toEqual({})
  })

  test('a trailer that is malformed or of another code is not believed', () => {
    for (const trailer of [
      '{',
      '[]',
      '{"code":"nope"}',
      '{"code":"forbidden","field":7}',
      '{"code":"conflict"}',
    ]) {
      const sent = toErrorStatus(new PlatformError('forbidden', 'no'))
      sent.metadata.set('platform-error-bin', Buffer.from(trailer))
      expect(fromErrorStatus(sent)).toMatchObject({ code: 'forbidden', message: 'no', details: {} })
    }
  })

  test.each([
    [
      'Received message larger than max (20 vs 16)',
      'message of 20 bytes exceeds the limit of 16 bytes',
    ],
    [
      'Received message larger than max (20 vs. 16)',
      'message of 20 bytes exceeds the limit of 16 bytes',
    ],
    [
      'Received message that decompresses to a size larger than 16',
      'message exceeds the limit of 16 bytes',
    ],
  ])('%s, in words of the transport, names the limit (BR-087)', (text, message) => {
    const sent = toErrorStatus(new PlatformError('exhausted', text))
    sent.metadata.remove('platform-error-bin')
    expect(fromErrorStatus(sent)).toMatchObject({
      code: 'exhausted',
      message,
      details: { reason: 'message_too_large' },
    })
  })

  test('a stream that broke below gRPC leaves the outcome unknown', () => {
    const sent = toErrorStatus(new PlatformError('bug', ''))
    sent.metadata.remove('platform-error-bin')
    const broken = { ...sent, details: 'Received RST_STREAM with code 2' }
    expect(fromErrorStatus(broken).code).toBe('unknown')
  })
})
