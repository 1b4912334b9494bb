import { PlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { Failures } from './failures.js'
import { noViewMetrics } from './view-metrics.js'

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }
const key = { view: 'plan', stream: 'RUNS_0' }
const poison = new PlatformError('bug', 'internal error', { cause: new Error('no such column') })

const failures = (counted: string[] = []) =>
  new Failures(key, {
    logger: { ...quiet, error: (_fields, message) => void counted.push(message) },
    metrics: { ...noViewMetrics, failed: (_key, { code }) => void counted.push(code) },
    failAfterAttempts: 3,
  })

describe('failures of a view', () => {
  test('are shown from the third try at one commit on, with what the view threw', () => {
    const seen = failures()
    seen.note(poison, 7)
    seen.note(poison, 7)
    expect(seen.shown).toBeUndefined()
    seen.note(poison, 7)
    expect(seen.shown).toEqual({ sequence: 7, attempts: 3, error: 'no such column' })
  })

  test('at different commits are counted apart', () => {
    const seen = failures()
    for (const sequence of [1, 2, 3, 4]) seen.note(poison, sequence)
    expect(seen.shown).toBeUndefined()
  })

  test('are forgotten once the reader is past the commit', () => {
    const seen = failures()
    for (let attempt = 0; attempt < 3; attempt++) seen.note(poison, 7)
    seen.passed(6)
    expect(seen.shown?.sequence).toBe(7)
    seen.passed(7)
    expect(seen.shown).toBeUndefined()
  })

  test('wait twice as long each time, at most 30 s', () => {
    const seen = failures()
    const pauses = Array.from({ length: 12 }, () => seen.note(poison, 7))
    expect(pauses.slice(0, 4)).toEqual([100, 200, 400, 800])
    expect(pauses.at(-1)).toBe(30_000)
  })

  test('are all counted and logged as an error once', () => {
    const counted: string[] = []
    const seen = failures(counted)
    for (let attempt = 0; attempt < 5; attempt++) seen.note(poison, 7)
    expect(counted).toEqual(['bug', 'bug', 'bug', 'a view keeps failing at a commit', 'bug', 'bug'])
  })
})
