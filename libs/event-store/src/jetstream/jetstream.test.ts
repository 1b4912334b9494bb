import { isPlatformError } from '@sciencediscovery/kernel'
import { ErrorCode, NatsError } from 'nats'
import { describe, expect, test } from 'vitest'
import { nakWord } from './delivered.js'
import { fromApiError, fromReadFailure, fromWriteFailure } from './nats-failure.js'
import { isAtLeast, refuseOldServer } from './server-version.js'
import { loadStreamsFile, prefixedSubject, streamConfigs } from './streams-file.js'

function reasonOf(version: string, hasJetStream: boolean): string | undefined {
  try {
    refuseOldServer(version, hasJetStream)
    return undefined
  } catch (error) {
    return isPlatformError(error) ? error.details.reason : String(error)
  }
}

describe('the server', () => {
  test('D1: below 2.10 is refused with the reason, and so is one without JetStream', () => {
    expect(reasonOf('2.9.10', true)).toBe('nats_server_too_old')
    expect(reasonOf('2.10.0', true)).toBeUndefined()
    expect(reasonOf('2.15.1-beta', true)).toBeUndefined()
    expect(reasonOf('3.0.0', true)).toBeUndefined()
    expect(reasonOf('2.11.0', false)).toBe('jetstream_off')
    expect(isAtLeast('nonsense', 2, 10)).toBe(false)
  })
})

describe('failures', () => {
  test.each([
    [400, 10071, 'conflict'],
    [400, 10164, 'conflict'],
    [503, 10077, 'exhausted'],
    [404, 10037, 'not_found'],
    [503, 10008, 'unavailable'],
    [400, 10025, 'bug'],
  ])('API %i %i is %s', (code, err_code, expected) => {
    expect(fromApiError({ code, err_code, description: 'x' }, 'append').code).toBe(expected)
  })

  test('J5: a write without an answer is unknown, a read without one unavailable', () => {
    for (const code of [ErrorCode.Timeout, ErrorCode.NoResponders, ErrorCode.Disconnect]) {
      const error = new NatsError('x', code)
      expect(fromWriteFailure(error, 'append').code).toBe('unknown')
      expect(fromReadFailure(error, 'read').code).toBe('unavailable')
    }
  })

  test('a write on a closed connection was not sent', () => {
    expect(fromWriteFailure(new NatsError('x', ErrorCode.ConnectionClosed), 'append').code).toBe(
      'unavailable',
    )
  })

  test('J13: what the NATS user may not do is forbidden', () => {
    const error = new NatsError('x', ErrorCode.PermissionsViolation)
    expect(fromWriteFailure(error, 'append').code).toBe('forbidden')
    expect(fromReadFailure(error, 'read').code).toBe('forbidden')
  })
})

describe('the streams file', () => {
  const configs = streamConfigs(loadStreamsFile(), { prefix: undefined, runShards: 2, replicas: 3 })

  test('every stream is kept for ever, refuses when full, and has an explicit duplicate window', () => {
    for (const config of configs) {
      expect(config).toMatchObject({
        storage: 'file',
        discard: 'new',
        max_age: 0,
        max_msgs: -1,
        num_replicas: 3,
      })
      expect(config.max_bytes).toBeGreaterThan(0)
      expect(config.duplicate_window).toBe(120_000_000_000)
      expect(config.max_msg_size).toBeGreaterThan(512 * 1024)
    }
  })

  test('runs are spelled out by shard; placement is a work queue', () => {
    const subjectsOf = (name: string): readonly string[] | undefined =>
      configs.find((config) => config.name === name)?.subjects
    expect(subjectsOf('RUNS_0')).toEqual(['runs.0.>'])
    expect(subjectsOf('RUNS_1')).toEqual(['runs.1.>'])
    expect(subjectsOf('RUNS_2')).toBeUndefined()
    expect(configs.find((config) => config.name === 'PLACEMENT')?.retention).toBe('workqueue')
  })

  test('no subject belongs to two streams', () => {
    const subjects = configs.flatMap((config) => config.subjects)
    expect(new Set(subjects).size).toBe(subjects.length)
  })

  test('a prefix is in front of every name', () => {
    const [config] = streamConfigs(loadStreamsFile(), { prefix: 'it', runShards: 1, replicas: 1 })
    expect(config).toMatchObject({ name: 'IT_RUNS_0', subjects: ['it.runs.0.>'] })
    expect(prefixedSubject('a.b', 'it')).toBe('it.a.b')
  })

  test('a file that is not one is refused with its name', () => {
    expect(() => loadStreamsFile('/nowhere/streams.json')).toThrow(
      '/nowhere/streams.json cannot be used',
    )
  })
})

describe('answers to a delivery', () => {
  test('a delay is sent in nanoseconds, none as a plain nak', () => {
    expect(nakWord(0)).toBe('-NAK')
    expect(nakWord(250)).toBe('-NAK {"delay":250000000}')
  })
})
