import { isPlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { booleanFlag, bytes, milliseconds, oneOf, positiveInteger } from './config-codecs.js'
import { loadConfig } from './config.js'

const Schema = z.object({
  NATS_URL: z.url().optional(),
  DATA_DIR: z.string().min(2),
  WORKERS: positiveInteger.default(4),
  VERBOSE: booleanFlag.default(false),
  LIMIT: bytes.optional(),
  PAUSE: milliseconds.optional(),
  MODE: oneOf('local', 'distributed').default('local'),
})

function refusal(env: Record<string, string | undefined>): string {
  try {
    loadConfig(Schema, env)
  } catch (error) {
    if (isPlatformError(error) && error.code === 'invalid') return error.message
    throw error
  }
  return 'accepted'
}

describe('loadConfig', () => {
  test('gives typed values, and defaults where nothing is set', () => {
    const env = {
      DATA_DIR: '/data',
      LIMIT: '2 MiB',
      PAUSE: '1.5s',
      VERBOSE: 'On',
      MODE: 'distributed',
    }
    expect(loadConfig(Schema, env)).toEqual({
      DATA_DIR: '/data',
      WORKERS: 4,
      VERBOSE: true,
      LIMIT: 2_097_152,
      PAUSE: 1_500,
      MODE: 'distributed',
    })
  })

  test('names every problem at once, with what to send', () => {
    const message = refusal({
      NATS_URL: 'nowhere',
      WORKERS: '-1',
      VERBOSE: 'maybe',
      LIMIT: '5 apples',
      PAUSE: 'soon',
      MODE: 'cloud',
    })
    const lines = message.split('\n').map((line) => line.trim())
    expect(lines).toEqual([
      'the environment does not fit:',
      'NATS_URL: send a value of the form url',
      'DATA_DIR: is not set; send a string',
      'WORKERS: send a whole number above 0, like 8',
      'VERBOSE: send true or false',
      'LIMIT: send a size like 512KiB, 16MiB or 2GB',
      'PAUSE: send a time like 250ms, 30s, 5m or 2h',
      'MODE: send one of local, distributed',
    ])
  })

  test('never repeats a value: it may be a secret in the wrong variable', () => {
    const secret = 'sk-live-4242'
    const all = Object.fromEntries(Object.keys(Schema.shape).map((name) => [name, secret]))
    const message = refusal({ ...all, DATA_DIR: 'x' })
    expect(message).toContain('DATA_DIR: send at least 2 characters')
    expect(message).not.toContain(secret)
  })

  test('an empty variable counts as not set', () => {
    expect(refusal({ DATA_DIR: '' })).toContain('DATA_DIR: is not set')
    expect(loadConfig(Schema, { DATA_DIR: '/data', WORKERS: '' }).WORKERS).toBe(4)
  })

  test('an old name is read as fallback and logged without its value', () => {
    const Renamed = z.object({ SCIENCE_DISCOVERY_DATA_DIR: z.string() })
    const lines: unknown[] = []
    const logger = { warn: (...line: unknown[]) => void lines.push(line) }
    const old = { SCIENCE_AGENT_DATA_DIR: '/old' }
    expect(loadConfig(Renamed, old, { logger })).toEqual({ SCIENCE_DISCOVERY_DATA_DIR: '/old' })
    expect(lines).toEqual([
      [
        { variable: 'SCIENCE_AGENT_DATA_DIR', use: 'SCIENCE_DISCOVERY_DATA_DIR' },
        'an old variable name is read as fallback',
      ],
    ])
    const both = { ...old, SCIENCE_DISCOVERY_DATA_DIR: '/new' }
    expect(loadConfig(Renamed, both, { logger })).toEqual({ SCIENCE_DISCOVERY_DATA_DIR: '/new' })
    expect(lines).toHaveLength(1)
  })
})

describe('config codecs', () => {
  test.each([
    ['1', true],
    ['TRUE', true],
    ['yes', true],
    ['0', false],
    ['off', false],
    ['False ', false],
  ])('booleanFlag reads %j', (text, value) => {
    expect(booleanFlag.parse(text)).toBe(value)
  })

  test.each(['', '2', 'tru', 'y', 'null'])('booleanFlag refuses %j', (text) => {
    expect(booleanFlag.safeParse(text).success).toBe(false)
  })

  test.each(['0', '-1', '1.5', '1e3', '0x10', 'NaN', '99999999999999999999', '٣'])(
    'positiveInteger refuses %j',
    (text) => {
      expect(positiveInteger.safeParse(text).success).toBe(false)
    },
  )

  test.each([
    ['0', 0],
    ['1024', 1_024],
    ['1KiB', 1_024],
    ['1.5 kib', 1_536],
    ['16MiB', 16_777_216],
    ['2GB', 2_000_000_000],
  ])('bytes reads %j', (text, value) => {
    expect(bytes.parse(text)).toBe(value)
  })

  test.each(['', 'MiB', '-1', '1 PiB', '1,5MiB', '9999999999TiB'])('bytes refuses %j', (text) => {
    expect(bytes.safeParse(text).success).toBe(false)
  })

  test.each([
    ['250', 250],
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['0.5 h', 1_800_000],
  ])('milliseconds reads %j', (text, value) => {
    expect(milliseconds.parse(text)).toBe(value)
  })

  test.each(['', 's', '-5s', '5 weeks', '1:30'])('milliseconds refuses %j', (text) => {
    expect(milliseconds.safeParse(text).success).toBe(false)
  })
})
