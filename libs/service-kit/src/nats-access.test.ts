import { describe, expect, test } from 'vitest'
import { natsAccessOf } from './nats-access.js'

describe('who asks the bus', () => {
  test('user and password come from their variables', () => {
    const variables = { NATS_USER: 'runner', NATS_PASSWORD: 'secret' }
    expect(natsAccessOf('nats://a:4222, nats://b:4222', variables)).toEqual({
      servers: ['nats://a:4222', 'nats://b:4222'],
      credentials: { kind: 'user', user: 'runner', password: 'secret' },
    })
  })

  test.each<[string, string, unknown]>([
    ['nats://me:p%40ss@a:4222', 'nats://a:4222', { kind: 'user', user: 'me', password: 'p@ss' }],
    ['me:pass@a:4222', 'a:4222', { kind: 'user', user: 'me', password: 'pass' }],
    ['tls://token@a:4222', 'tls://a:4222', { kind: 'token', token: 'token' }],
    ['nats://a:4222', 'nats://a:4222', undefined],
  ])('what %s says of secrets is not in the address %s', (url, server, credentials) => {
    expect(natsAccessOf(url, {})).toEqual({ servers: [server], credentials })
  })

  test('half of it is refused, and names the other half', () => {
    expect(() => natsAccessOf('a', { NATS_USER: 'runner' })).toThrow(/NATS_PASSWORD/)
    expect(() => natsAccessOf('a', { NATS_PASSWORD: 'x' })).toThrow(/NATS_USER/)
    expect(() => natsAccessOf('a', { NATS_CREDS_FILE: '/no/such' })).toThrow(/NATS_CREDS_FILE/)
  })
})
