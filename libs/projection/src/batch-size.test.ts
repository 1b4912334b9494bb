import { describe, expect, test } from 'vitest'
import { BatchSize } from './batch-size.js'

describe('batch size', () => {
  test('grows while transactions are quick, up to 500', () => {
    const size = new BatchSize()
    for (let round = 0; round < 10; round++) size.learn(size.current, 5)
    expect(size.current).toBe(500)
  })

  test('halves when a transaction is slow, down to one commit', () => {
    const size = new BatchSize()
    size.learn(64, 300)
    expect(size.current).toBe(32)
    for (let round = 0; round < 10; round++) size.learn(size.current, 300)
    expect(size.current).toBe(1)
  })

  test('does not grow on a batch that was not full', () => {
    const size = new BatchSize()
    size.learn(3, 1)
    expect(size.current).toBe(64)
  })
})
