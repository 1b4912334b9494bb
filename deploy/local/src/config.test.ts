import { isPlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { loadRunnerPools } from './config.js'

describe('the runner pools of a local stack', () => {
  test('are one called local unless told otherwise', () => {
    expect(loadRunnerPools({})).toEqual(['local'])
  })

  test('are those of the environment, in order', () => {
    expect(loadRunnerPools({ SCIENCE_DISCOVERY_RUNNER_POOLS: 'local, gpu' })).toEqual([
      'local',
      'gpu',
    ])
  })

  test.each([',', 'GPU', 'local,local', 'a,,b', 'under_score', 'x'.repeat(33)])(
    'are refused by name when malformed: %j',
    (text) => {
      const load = (): unknown => loadRunnerPools({ SCIENCE_DISCOVERY_RUNNER_POOLS: text })
      expect(load).toThrow(/SCIENCE_DISCOVERY_RUNNER_POOLS/)
      expect(failureOf(load)).toBe(true)
    },
  )
})

function failureOf(load: () => unknown): boolean {
  try {
    load()
    return false
  } catch (error) {
    return isPlatformError(error)
  }
}
