import { describe, expect, test } from 'vitest'
import { loadGatewayConfig, loadToolOutputConfig } from './config.js'

const needed = {
  SCIENCE_DISCOVERY_TOKEN: 'a-token-of-some-length',
  ARTIFACT_STORE_ADDRESS: 'artifact-store:7000',
  ORCHESTRATOR_ADDRESS: 'orchestrator:7000',
  RUNNER_ADDRESSES: 'local=runner:7000, gpu=runner-gpu:7000',
}

describe('configuration of the gateway', () => {
  test('S-20: has the bounds of the contract unless told otherwise', () => {
    expect(loadGatewayConfig(needed)).toMatchObject({
      runnerAddresses: { local: 'runner:7000', gpu: 'runner-gpu:7000' },
      toolOutput: {
        maxBytes: 51_200,
        maxLines: 2_000,
        retentionBytes: 8_192,
        readAdvisoryBytes: 65_536,
        readStrongAdvisoryBytes: 98_304,
      },
    })
  })

  test.each(['0', '-1', '1.5', 'many', '50k', ' '])(
    'S-20: %j is no bound and stops the start',
    (value) => {
      const env = { ...needed, SCIENCE_AGENT_TOOL_OUTPUT_MAX_BYTES: value }
      expect(() => loadGatewayConfig(env)).toThrow(
        /SCIENCE_AGENT_TOOL_OUTPUT_MAX_BYTES: send a whole/,
      )
    },
  )

  test('S-20: the strong advice comes no earlier than the first', () => {
    const env = { SCIENCE_AGENT_TOOL_OUTPUT_READ_ADVISORY_BYTES: '100000' }
    expect(() => loadToolOutputConfig(env)).toThrow(/READ_STRONG_ADVISORY_BYTES: .*send at least/)
  })

  test('names every problem at once and no value', () => {
    const env = { RUNNER_ADDRESSES: 'hunter2', SCIENCE_DISCOVERY_TOKEN: 'short' }
    try {
      loadGatewayConfig(env)
      expect.unreachable()
    } catch (error) {
      const message = String(error)
      for (const name of [
        'RUNNER_ADDRESSES',
        'SCIENCE_DISCOVERY_TOKEN',
        'ARTIFACT_STORE_ADDRESS',
      ]) {
        expect(message).toContain(name)
      }
      expect(message).not.toMatch(/hunter2|short/)
    }
  })
})
