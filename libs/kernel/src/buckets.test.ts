import { describe, expect, test } from 'vitest'
import { emptyBuckets, lookUp, put } from './buckets.js'

describe('buckets', () => {
  test('finds what was put, the last value of a key wins', () => {
    let map = emptyBuckets<number>()
    for (let n = 0; n < 1000; n += 1) map = put(map, `key-${n}`, n)
    map = put(map, 'key-7', -7)
    expect(lookUp(map, 'key-7')).toBe(-7)
    expect(lookUp(map, 'key-999')).toBe(999)
    expect(map.size).toBe(1000)
  })

  test('putting leaves the older map as it was', () => {
    const older = put(emptyBuckets<string>(), 'a', 'x')
    put(older, 'a', 'y')
    expect(lookUp(older, 'a')).toBe('x')
    expect(lookUp(older, '__proto__')).toBeUndefined()
  })
})
