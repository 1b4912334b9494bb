import { describe, expect, test } from 'vitest'
import { Turns } from './turns.js'

describe('turns', () => {
  test('go to the takers in the order they asked', async () => {
    const turns = new Turns()
    const order: string[] = []
    const release = await turns.take(1_000)
    const takers = ['a', 'b', 'c'].map(async (name) => {
      const end = await turns.take(1_000)
      order.push(name)
      end()
    })
    expect(order).toEqual([])
    release()
    await Promise.all(takers)
    expect(order).toEqual(['a', 'b', 'c'])
  })

  test('a taker that waits too long is refused and leaves the queue', async () => {
    const turns = new Turns()
    const release = await turns.take(1_000)
    await expect(turns.take(5)).rejects.toMatchObject({ code: 'unavailable' })
    const next = turns.take(1_000)
    release()
    const end = await next
    end()
  })

  test('giving back twice does not free the next turn', async () => {
    const turns = new Turns()
    const first = await turns.take(1_000)
    const waiting = turns.take(1_000)
    first()
    first()
    await waiting
    await expect(turns.take(5)).rejects.toMatchObject({ code: 'unavailable' })
  })
})
