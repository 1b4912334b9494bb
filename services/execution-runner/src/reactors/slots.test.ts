import { describe, expect, test } from 'vitest'
import { Slots } from './slots.js'

/** Asks for slots in this order; gives who got one, in the order they did, as slots come back. */
async function servedIn(asks: readonly string[], count: number): Promise<readonly string[]> {
  const slots = new Slots(count)
  const served: string[] = []
  const all = asks.map(async (project) => {
    await slots.take(project)
    served.push(project)
    slots.giveBack()
  })
  await Promise.all(all)
  return served
}

describe('slots for executions', () => {
  test('a project with 50 queued executions does not starve another one', async () => {
    const many = Array.from({ length: 50 }, () => 'many')
    const served = await servedIn([...many, 'few', 'few'], 1)
    expect(served.slice(0, 5)).toEqual(['many', 'many', 'few', 'many', 'few'])
    expect(served).toHaveLength(52)
  })

  test('three projects take turns', async () => {
    const served = await servedIn(['a', 'a', 'a', 'b', 'b', 'c'], 1)
    expect(served).toEqual(['a', 'a', 'b', 'c', 'a', 'b'])
  })

  test('no more are out than there are, and who does not wait passes nobody who does', async () => {
    const slots = new Slots(1)
    expect(slots.tryTake()).toBe(true)
    expect(slots.tryTake()).toBe(false)
    const waiting = slots.take('a')
    slots.giveBack()
    await waiting
    expect(slots.tryTake()).toBe(false)
    slots.giveBack()
    expect(slots.tryTake()).toBe(true)
  })
})
