import { PlatformError, refused } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { untilAnswered } from './until-answered.js'

const open = new AbortController().signal
const away = new PlatformError('unavailable', 'no server answers')

describe('untilAnswered', () => {
  test('sends again while the store is away', async () => {
    const failures = [away, new PlatformError('unknown', 'not answered in time')]
    let sent = 0
    await untilAnswered(
      () => {
        sent += 1
        const failure = failures.shift()
        return failure ? Promise.reject(failure) : Promise.resolve()
      },
      open,
      1,
    )
    expect(sent).toBe(3)
  })

  test('what was refused is not sent again', async () => {
    const refusal = refused('attempt 1 was taken over')
    await expect(untilAnswered(() => Promise.reject(refusal), open)).rejects.toBe(refusal)
  })

  test('ends with the replica', async () => {
    const closing = new AbortController()
    const waiting = untilAnswered(() => Promise.reject(away), closing.signal, 1)
    closing.abort()
    await expect(waiting).rejects.toThrow()
  })
})
