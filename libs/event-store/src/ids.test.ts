import { describe, expect, test } from 'vitest'
import { commandIdOf, commitIdOf, derivedId, shardOf } from './ids.js'

describe('ids', () => {
  test('the same parts give the same id, any other part another', () => {
    const id = commandIdOf('p1', 'ada', 'StartRun', 'key-1')
    expect(id).toMatch(/^[0-9a-f]{40}$/)
    expect(commandIdOf('p1', 'ada', 'StartRun', 'key-1')).toBe(id)
    expect(commandIdOf('p2', 'ada', 'StartRun', 'key-1')).not.toBe(id)
  })

  test('parts do not run into each other', () => {
    expect(commandIdOf('ab', 'c')).not.toBe(commandIdOf('a', 'bc'))
    expect(commandIdOf('a', undefined)).not.toBe(commandIdOf('a'))
  })

  test('the same command on two subjects makes two commits', () => {
    expect(commitIdOf('runs.0.p1.r1', 'c1')).not.toBe(commitIdOf('runs.0.p1.r2', 'c1'))
  })

  test('a derived id carries its prefix and fits into a subject', () => {
    expect(derivedId('run_', 'command-1')).toMatch(/^run_[0-9a-f]{32}$/)
    expect(derivedId('run_', 'c')).not.toBe(derivedId('ses_', 'c').replace('ses_', 'run_'))
  })

  test('shards are spread over, and a session keeps its own', () => {
    const shards = Array.from({ length: 400 }, (_, index) => shardOf(`session-${index}`, 4))
    for (const shard of [0, 1, 2, 3]) {
      expect(shards.filter((found) => found === shard).length).toBeGreaterThan(60)
    }
    expect(shardOf('session-1', 4)).toBe(shards[1])
  })
})
