import { describe, expect, test } from 'vitest'
import { versionFinding } from './find-bwrap.js'

describe('bubblewrap', () => {
  test('D4: below 0.12 it is warned of, from 0.12 on it is not', () => {
    expect(versionFinding('bubblewrap 0.8.0')).toMatchObject({ holds: false, required: false })
    expect(versionFinding('bubblewrap 0.12.0').holds).toBe(true)
    expect(versionFinding('bubblewrap 1.0.0').holds).toBe(true)
  })
})
