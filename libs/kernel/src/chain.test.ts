import { expect, test, describe } from 'vitest'
import { chainOf, push, toArray } from './chain.js'

describe('chain', () => {
  test('keeps the order of what was pushed', () => {
    expect(toArray(push(chainOf(1, 2), 3))).toEqual([1, 2, 3])
  })

  test('pushing leaves the older chain as it was', () => {
    const older = chainOf('a')
    push(older, 'b')
    expect(toArray(older)).toEqual(['a'])
    expect(older.length).toBe(1)
  })
})
