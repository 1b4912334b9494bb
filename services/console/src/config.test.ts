import { describe, expect, test } from 'vitest'
import { loadConsoleConfig } from './config.js'

const env = {
  SCIENCE_DISCOVERY_TOKEN: 'a-token-of-16-characters',
  SCIENCE_DISCOVERY_ACCESS_TOKEN: 'another-of-16-characters',
  ORCHESTRATOR_ADDRESS: 'orchestrator:7000',
  GATEWAY_ADDRESS: 'gateway:7000',
  ARTIFACT_STORE_ADDRESS: 'artifacts:7000',
  RUNNER_ADDRESSES: 'local=runner:7000, gpu=unix:/run/gpu.sock',
}

describe('console configuration', () => {
  test('is loopback unless told otherwise, with pools by name', () => {
    expect(loadConsoleConfig(env)).toMatchObject({
      host: '127.0.0.1',
      allowPlaintext: false,
      runnerAddresses: { local: 'runner:7000', gpu: 'unix:/run/gpu.sock' },
    })
  })

  test('names every problem at once and never a value', () => {
    const broken = {
      ...env,
      SCIENCE_DISCOVERY_TOKEN: 'short-secret',
      RUNNER_ADDRESSES: 'x',
      GATEWAY_ADDRESS: '',
    }
    const load = (): unknown => loadConsoleConfig(broken)
    expect(load).toThrow(
      /GATEWAY_ADDRESS[^]*RUNNER_ADDRESSES: send POOL=ADDRESS[^]*SCIENCE_DISCOVERY_TOKEN/,
    )
    expect(load).not.toThrow(/short-secret/)
  })

  test('a console without a way in does not start, nor one whose owner has the token of services (S4)', () => {
    const closed = { ...env, SCIENCE_DISCOVERY_ACCESS_TOKEN: '' }
    expect(() => loadConsoleConfig(closed)).toThrow(/SCIENCE_DISCOVERY_ACCESS_TOKEN: is not set/)
    const same = { ...env, SCIENCE_DISCOVERY_ACCESS_TOKEN: env.SCIENCE_DISCOVERY_TOKEN }
    expect(() => loadConsoleConfig(same)).toThrow(/is the token of the services/)
    const signed = { ...closed, AUTH_ISSUER: 'https://issuer.test' }
    expect(loadConsoleConfig(signed).auth).toMatchObject({ AUTH_ISSUER: 'https://issuer.test' })
  })
})
