import { describe, expect, test } from 'vitest'
import { loadConsoleConfig } from './config.js'

const env = {
  SCIENCE_DISCOVERY_TOKEN: 'a-token-of-16-characters',
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
      /SCIENCE_DISCOVERY_TOKEN[^]*GATEWAY_ADDRESS[^]*RUNNER_ADDRESSES: send POOL=ADDRESS/,
    )
    expect(load).not.toThrow(/short-secret/)
  })
})
