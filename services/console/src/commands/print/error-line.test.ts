import { describe, expect, test } from 'vitest'
import { invalid, notFound, PlatformError, refused } from '@sciencediscovery/kernel'
import { errorLine, exitCodeOfError } from './error-line.js'

describe('an error for people', () => {
  test('says what, which field and what to do', () => {
    expect(
      errorLine(
        refused('the session is archived', { field: 'session_id', remedy: 'create another' }),
      ),
    ).toBe('scid: the session is archived (session_id) -- create another')
    expect(errorLine(invalid('--from', 'is no number', 'give 3'))).toBe(
      'scid: --from: is no number -- give 3',
    )
  })

  test.each([
    [invalid('a', 'b'), 2],
    [notFound('run r'), 1],
    [new PlatformError('cancelled', 'interrupted'), 130],
    [new Error('x'), 1],
  ])('%s is exit %i', (error, code) => {
    expect(exitCodeOfError(error)).toBe(code)
  })
})
