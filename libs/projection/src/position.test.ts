import { type PlatformError, toPlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { decodePosition, encodePosition } from './position.js'

const refusalOf = (token: string): PlatformError | undefined => {
  try {
    decodePosition(token)
    return undefined
  } catch (error) {
    return toPlatformError(error)
  }
}

describe('position token', () => {
  test.each([
    { stream: 'RUNS_0', sequence: 0 },
    { stream: 'SESSIONS', sequence: 42 },
    { stream: 'MCP-INVOCATIONS', sequence: Number.MAX_SAFE_INTEGER },
  ])('of %o comes back as it was', (position) => {
    const token = encodePosition(position)
    expect(decodePosition(token)).toEqual(position)
    expect(encodeURIComponent(token)).toBe(token)
  })

  const raw = (text: string) => Buffer.from(text).toString('base64url')
  test.each([
    ['empty', ''],
    ['of another text', 'hello'],
    ['of an unknown version', raw('2.RUNS_0.1')],
    ['with a negative sequence', raw('1.RUNS_0.-1')],
    ['with a leading zero', raw('1.RUNS_0.01')],
    ['with a sequence beyond the safe integers', raw('1.RUNS_0.9999999999999999')],
    ['with a hostile stream', raw('1.RUNS 0; drop.1')],
    ['with padding', `${encodePosition({ stream: 'RUNS_0', sequence: 1 })}=`],
    ['with a control character', `${encodePosition({ stream: 'RUNS_0', sequence: 1 })}\u0000`],
    ['that is huge', 'A'.repeat(2_000_000)],
  ])('%s is invalid and names min_position (BR-069)', (_what, token) => {
    expect(refusalOf(token)).toMatchObject({ code: 'invalid', details: { field: 'min_position' } })
  })
})
