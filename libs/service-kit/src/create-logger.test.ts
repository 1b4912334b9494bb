import { PlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { createLogger, type LoggerOptions } from './create-logger.js'
import { secretRedactor } from './secret-redactor.js'

function logTo(options: LoggerOptions = {}) {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const logger = createLogger('tool-gateway', { ...options, destination })
  const entry = (index = 0): unknown => JSON.parse(lines[index] ?? 'null')
  return { logger, lines, entry }
}

describe('createLogger', () => {
  test('writes one JSON line with service, level, time, fields and message', () => {
    const { logger, lines, entry } = logTo()
    logger.child({ runId: 'r1' }).info({ turns: 3 }, 'run ended')
    expect(entry()).toMatchObject({
      service: 'tool-gateway',
      level: 'info',
      runId: 'r1',
      turns: 3,
      msg: 'run ended',
    })
    expect(lines[0]).toMatch(/"time":"\d{4}-\d\d-\d\dT/)
  })

  test('is silent below its level', () => {
    const { logger, lines } = logTo({ level: 'warn' })
    logger.info({}, 'no')
    logger.debug({}, 'no')
    logger.warn({}, 'yes')
    expect(lines).toHaveLength(1)
  })

  test('hides what is called like a secret, at any depth, and keeps counts and ids', () => {
    const { logger, lines, entry } = logTo()
    const secret = 'hunter2'
    logger.child({ token: secret }).info(
      {
        apiKey: secret,
        accessToken: secret,
        headers: { authorization: secret, cookie: [secret] },
        providers: [{ client_secret: secret, private_key: secret, name: 'openai' }],
        password: secret,
        key: secret,
        inputTokens: 42,
        callKey: 'r1:c1',
        idempotencyKey: 'k1',
      },
      'configured',
    )
    expect(lines.join('')).not.toContain(secret)
    expect(entry()).toMatchObject({
      apiKey: '[redacted]',
      providers: [{ name: 'openai' }],
      inputTokens: 42,
      callKey: 'r1:c1',
      idempotencyKey: 'k1',
    })
  })

  test('shows an error with code, details and its whole chain of causes', () => {
    const { logger, lines, entry } = logTo()
    const cause = new Error('disk is full')
    const error = new PlatformError('unavailable', 'cannot store blob', {
      reason: 'no_space',
      cause,
    })
    logger.error({ err: error }, 'call failed')
    expect(entry()).toMatchObject({
      level: 'error',
      err: { code: 'unavailable', details: { reason: 'no_space' } },
    })
    expect(lines[0]).toContain('disk is full')
  })

  test('known secrets are taken out of messages and error texts', () => {
    const secret = 'p@ss"word'
    const { logger, lines } = logTo({ redact: secretRedactor([secret]) })
    logger.warn({ err: new Error(`cannot log in with ${secret}`) }, `tried ${secret}`)
    expect(lines.join('')).not.toContain('p@ss')
    expect(() => JSON.parse(lines[0] ?? '') as unknown).not.toThrow()
  })

  test('a cycle does not hang it', () => {
    const { logger, lines } = logTo()
    const cycle: Record<string, unknown> = { name: 'a' }
    cycle['self'] = cycle
    logger.info({ cycle }, 'odd')
    expect(lines).toHaveLength(1)
  })
})
