import { PlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { failureOf } from './platform-failure.js'
import { errorResult, okResult } from './tool-result.js'

describe('tool result', () => {
  test('X-01: a failure carries code, message, attempts and whether to try again', () => {
    expect(errorResult({ code: 'NOT_FOUND', message: 'a.txt not found' })).toEqual({
      text: 'NOT_FOUND: a.txt not found',
      isError: true,
      details: {
        ok: false,
        error: { code: 'NOT_FOUND', message: 'a.txt not found', attempts: 1, retryable: false },
      },
      effects: [],
    })
  })

  test('X-01: a message is cut at 1000 characters, never inside a character', () => {
    const { message } = errorResult({ code: 'X', message: `${'a'.repeat(998)}😀😀` }).details.error
    expect(message.length).toBeLessThanOrEqual(1000)
    expect(/[\ud800-\udfff]/u.test(message)).toBe(false)
  })

  test('BR-061: a failure without words still says something', () => {
    expect(errorResult({ code: 'TOOL_EXECUTION_FAILED', message: ' ' }).text).toMatch(/\w+: \w+/)
  })

  test('a success keeps text and details as they are', () => {
    expect(okResult('fine', { n: 1 })).toEqual({
      text: 'fine',
      isError: false,
      details: { n: 1 },
      effects: [],
    })
  })
})

describe('failure of a platform error', () => {
  test('keeps the reason as code and adds the remedy', () => {
    const error = new PlatformError('refused', 'base is not the newest', {
      reason: 'ARTIFACT_VERSION_CONFLICT',
      remedy: 'read the newest version first',
    })
    expect(failureOf(error)?.details.error).toMatchObject({
      code: 'ARTIFACT_VERSION_CONFLICT',
      message: 'base is not the newest; read the newest version first',
      retryable: false,
    })
  })

  test('a busy workspace may be tried again', () => {
    const error = new PlatformError('refused', 'e-1 is writing', { reason: 'workspace_busy' })
    expect(failureOf(error)?.details.error).toMatchObject({
      code: 'workspace_busy',
      retryable: true,
    })
  })

  test.each([
    ['invalid', 'INVALID_TOOL_ARGUMENTS', true],
    ['not_found', 'NOT_FOUND', false],
    ['already_exists', 'ALREADY_EXISTS', false],
    ['forbidden', 'FORBIDDEN', false],
    ['exhausted', 'EXHAUSTED', true],
    ['bug', 'TOOL_EXECUTION_FAILED', false],
  ] as const)('%s is told as %s', (code, told, retryable) => {
    const failure = failureOf(new PlatformError(code, 'words'))
    expect(failure?.details.error).toMatchObject({ code: told, retryable })
  })

  test.each(['unavailable', 'unknown', 'deadline', 'cancelled'] as const)(
    'X-12: %s is no result: the call must be asked again',
    (code) => {
      expect(failureOf(new PlatformError(code, 'words'))).toBeUndefined()
    },
  )
})
