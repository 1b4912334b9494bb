import { describe, expect, test } from 'vitest'
import { DueList } from './embedded/due-list.js'
import { Gate, outcomeOf, settledOr } from './gate.js'
import { Slots } from './jetstream/slots.js'
import { linkedSignal } from './linked-signal.js'
import { Turnstile } from './turnstile.js'

const never = new AbortController().signal

describe('gate', () => {
  test('one that was opened since it was counted does not wait', async () => {
    const gate = new Gate()
    const seen = gate.count
    gate.open()
    await gate.passed(seen, never)
  })

  test('wakes all that wait, and keeps none of them', async () => {
    const gate = new Gate()
    const waiting = [1, 2, 3].map(() => gate.passed(gate.count, never))
    gate.open()
    await Promise.all(waiting)
    const left: number[] = []
    gate.onOpen(() => left.push(1))()
    gate.open()
    expect(left).toEqual([])
  })

  test('lets go at the abort and at the end of the time', async () => {
    const gate = new Gate()
    await gate.passed(gate.count, AbortSignal.abort())
    await gate.passed(gate.count, never, 1)
    const stop = new AbortController()
    const waiting = gate.passed(gate.count, stop.signal)
    stop.abort()
    await waiting
  })

  test('work is done, failed, or stopped while it goes on', async () => {
    const errors: unknown[] = []
    const note = (error: unknown): void => void errors.push(error)
    expect(await outcomeOf(Promise.resolve(), never, note)).toBe('done')
    expect(await outcomeOf(Promise.reject(new Error('x')), never, note)).toBe('failed')
    expect(await outcomeOf(new Promise(() => undefined), AbortSignal.abort(), note)).toBe('stopped')
    expect(errors).toHaveLength(1)
    await settledOr(Promise.reject(new Error('y')), never)
  })
})

describe('turnstile', () => {
  test('lets one through at a time, in order', async () => {
    const turnstile = new Turnstile()
    const order: number[] = []
    const pass = async (index: number): Promise<void> => {
      const leave = await turnstile.enter('key', never)
      order.push(index)
      await Promise.resolve()
      order.push(index)
      leave?.()
    }
    await Promise.all([0, 1, 2].map(pass))
    expect(order).toEqual([0, 0, 1, 1, 2, 2])
  })

  test('one that gives up holds nobody up', async () => {
    const turnstile = new Turnstile()
    const leave = await turnstile.enter('key', never)
    const stop = new AbortController()
    const second = turnstile.enter('key', stop.signal)
    const third = turnstile.enter('key', never)
    stop.abort()
    expect(await second).toBeUndefined()
    leave?.()
    expect(await third).toBeDefined()
  })

  test('keys do not wait for each other', async () => {
    const turnstile = new Turnstile()
    expect(await turnstile.enter('a', never)).toBeDefined()
    expect(await turnstile.enter('b', never)).toBeDefined()
  })
})

describe('slots', () => {
  test('the next waits until one leaves', async () => {
    const slots = new Slots(2)
    const [first] = await Promise.all([slots.enter(never), slots.enter(never)])
    let entered = false
    const third = slots.enter(never).then((leave) => {
      entered = true
      return leave
    })
    await Promise.resolve()
    expect(entered).toBe(false)
    first?.()
    expect(await third).toBeDefined()
  })

  test('one that gives up takes no place', async () => {
    const slots = new Slots(1)
    const leave = await slots.enter(never)
    const stop = new AbortController()
    const second = slots.enter(stop.signal)
    stop.abort()
    expect(await second).toBeUndefined()
    leave?.()
    expect(await slots.enter(never)).toBeDefined()
    expect(await slots.enter(AbortSignal.abort())).toBeUndefined()
  })
})

describe('due list', () => {
  test('gives what is due, soonest first, equal ones in order', () => {
    const list = new DueList<string>()
    for (const [item, dueAt] of [
      ['c', 30],
      ['a', 10],
      ['b', 10],
    ] as const)
      list.add(item, dueAt)
    expect([list.take(5), list.waitMs(5), list.countDue(10), list.countDue(99)]).toEqual([
      undefined,
      5,
      2,
      3,
    ])
    expect([list.take(30), list.take(30), list.take(30), list.take(30)]).toEqual([
      'a',
      'b',
      'c',
      undefined,
    ])
    expect(list.waitMs(30)).toBeUndefined()
  })
})

describe('linked signal', () => {
  test('aborts with any source, and not after it was let go of', () => {
    const [one, other] = [new AbortController(), new AbortController()]
    const link = linkedSignal(one.signal, undefined, other.signal)
    const loose = linkedSignal(one.signal)
    loose[Symbol.dispose]()
    one.abort()
    expect([link.signal.aborted, loose.signal.aborted]).toEqual([true, false])
    expect(linkedSignal(one.signal).signal.aborted).toBe(true)
  })
})
