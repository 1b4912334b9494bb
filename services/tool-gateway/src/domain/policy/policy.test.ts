import { describe, expect, test } from 'vitest'
import { needsDecision } from './authorization.js'
import { isAllowed } from './tool-policy.js'

describe('tool policy', () => {
  test.each([
    [[], [], true],
    [['run_shell'], [], true],
    [['read_file'], [], false],
    [[], ['run_shell'], false],
    [['run_shell'], ['run_shell'], false],
    [[], ['execute'], false],
  ])('X-09: allow %j then deny %j gives %j', (allow, deny, allowed) => {
    expect(isAllowed({ allow, deny }, ['run_shell', 'execute'])).toBe(allowed)
  })
})

describe('authorization', () => {
  const need = { action: 'code', resource: 'workspace-code' }

  test('X-10: a call without a class needs no decision', () => {
    expect(needsDecision(undefined, undefined)).toBe(false)
  })

  test('X-10: a call with a class waits until it is allowed', () => {
    expect(needsDecision(need, undefined)).toBe(true)
    expect(needsDecision(need, need)).toBe(false)
  })

  test.each([
    { action: 'host', resource: 'workspace-code' },
    { action: 'code', resource: 'other' },
  ])('X-10: an authorization for $action/$resource is refused', (allowed) => {
    expect(() => needsDecision(need, allowed)).toThrow(
      expect.objectContaining({
        code: 'refused',
        details: expect.objectContaining({ reason: 'authorization_mismatch' }) as object,
      }),
    )
  })
})
