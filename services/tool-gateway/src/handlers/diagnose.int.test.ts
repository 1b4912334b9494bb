import { Severity } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { describe, expect, test } from 'vitest'
import { startGateway } from '../testing/gateway-fixture.js'

describe('diagnose', () => {
  test('says that every owner answers, and names one that does not with a remedy', async () => {
    await using gateway = await startGateway()
    const before = await gateway.operations.diagnose({})
    expect(before.service).toBe('tool-gateway')
    expect(before.findings.map(({ name, severity }) => [name, severity])).toEqual([
      ['owner:artifact-store', Severity.SEVERITY_OK],
      ['owner:runner local', Severity.SEVERITY_OK],
      ['blob-store', Severity.SEVERITY_OK],
    ])
    await gateway.runner[Symbol.asyncDispose]()
    const after = await gateway.operations.diagnose({})
    expect(after.findings[1]).toMatchObject({
      name: 'owner:runner local',
      severity: Severity.SEVERITY_ERROR,
      remedy: expect.stringContaining('start runner local') as string,
    })
  })
})
