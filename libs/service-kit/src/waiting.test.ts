import { PlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { createId } from './create-id.js'
import { delay } from './delay.js'
import { untilAborted } from './grpc/until-aborted.js'
import { waitFor } from './wait-for.js'
import { withDeadline } from './with-deadline.js'

const reason = new PlatformError('refused', 'superseded')

describe('waitFor', () => {
  test('gives what the condition gave', async () => {
    let looks = 0
    expect(await waitFor(() => (looks += 1) === 3 && 'there', { intervalMs: 1 })).toBe('there')
  })

  test('says what did not hold in time', async () => {
    const waiting = waitFor(() => Promise.resolve(undefined), {
      timeoutMs: 5,
      intervalMs: 1,
      what: 'run r1 to end',
    })
    await expect(waiting).rejects.toMatchObject({
      code: 'deadline',
      message: 'run r1 to end did not hold within 5 ms',
    })
  })

  test('ends with its signal', async () => {
    const signal = AbortSignal.abort(reason)
    await expect(waitFor(() => false, { signal })).rejects.toBe(reason)
  })
})

describe('delay', () => {
  test('ends at once with its signal, before or during', async () => {
    await expect(delay(60_000, AbortSignal.abort(reason))).rejects.toBe(reason)
    const controller = new AbortController()
    const waiting = delay(60_000, controller.signal)
    controller.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' })
  })
})

describe('withDeadline', () => {
  test('aborts with deadline when time is up', async () => {
    const signal = withDeadline(undefined, 1)
    await waitFor(() => signal.aborted, { intervalMs: 1 })
    expect(signal.reason).toMatchObject({ code: 'deadline', message: 'no answer within 1 ms' })
  })

  test('aborts with its parent and its reason, also when that is past', () => {
    const parent = new AbortController()
    const signal = withDeadline(parent.signal, 60_000)
    expect(signal.aborted).toBe(false)
    parent.abort(reason)
    expect(signal.reason).toBe(reason)
    expect(withDeadline(parent.signal, 60_000).reason).toBe(reason)
  })
})

describe('untilAborted', () => {
  test('passes everything on, and the error of the source', async () => {
    async function* source() {
      yield 1
      await Promise.resolve()
      yield 2
      throw reason
    }
    const seen: number[] = []
    const reading = (async () => {
      for await (const item of untilAborted(source(), new AbortController().signal)) seen.push(item)
    })()
    await expect(reading).rejects.toBe(reason)
    expect(seen).toEqual([1, 2])
  })

  test('leaves a source that hangs, and asks it to end', async () => {
    const controller = new AbortController()
    let asked = false
    const source: AsyncIterable<number> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: () => {
          asked = true
          return new Promise(() => undefined)
        },
      }),
    }
    const reading = untilAborted(source, controller.signal).next()
    controller.abort(reason)
    await expect(reading).rejects.toBe(reason)
    expect(asked).toBe(true)
  })

  test('a reader that leaves waits for the source to clean up', async () => {
    const order: string[] = []
    async function* source() {
      try {
        yield 1
      } finally {
        await Promise.resolve()
        order.push('cleaned')
      }
    }
    for await (const item of untilAborted(source(), new AbortController().signal)) {
      expect(item).toBe(1)
      break
    }
    order.push('left')
    expect(order).toEqual(['cleaned', 'left'])
  })
})

describe('createId', () => {
  test('has its prefix and does not repeat', () => {
    const ids = Array.from({ length: 1_000 }, () => createId('runner'))
    expect(new Set(ids).size).toBe(1_000)
    expect(ids[0]).toMatch(/^runner-[0-9a-f]{16}$/)
  })
})
