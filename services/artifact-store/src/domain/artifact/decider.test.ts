import { isPlatformError } from '@sciencediscovery/kernel'
import { specFor } from '@sciencediscovery/testing'
import { describe, expect, test } from 'vitest'
import { type DeclareVersion } from './commands.js'
import { artifactDecider, type ArtifactState, versionOfKey } from './decider.js'
import { type ArtifactVersionDeclared } from './events.js'

const given = specFor(artifactDecider)

const content: DeclareVersion['content'] = {
  projectId: 'p',
  artifactId: 'art1',
  versionId: 'ver-1',
  effectKey: 'r1:d1',
  sha256: 'a'.repeat(64),
  sizeBytes: 7,
  mediaType: 'text/markdown',
  sourcePath: 'report.md',
  origin: 'agent',
  description: '',
  workspaceId: 'w-local-0123456789abcdef-p',
  sessionId: 's-0123456789abcdef-p',
  sessionTitle: 'kinetics',
  runId: 'r-0-0123456789abcdef-p',
  callId: 'd1',
  agentId: 'a-0123456789abcdef-p',
  at: '2026-01-01T00:00:00.000Z',
}

function declare(
  facts: Partial<DeclareVersion['content']> = {},
  target: DeclareVersion['target'] = { kind: 'named', name: 'report.md' },
): DeclareVersion {
  return { type: 'DeclareVersion', target, content: { ...content, ...facts } }
}

function declared(
  version: number,
  facts: Partial<DeclareVersion['content']> = {},
): ArtifactVersionDeclared {
  return {
    type: 'artifact.version.declared',
    v: 1,
    data: { ...content, name: 'report.md', kind: 'markdown', version, ...facts },
  }
}

const second = { effectKey: 'r1:d2', versionId: 'ver-2', sha256: 'b'.repeat(64) }
const basedOn = (baseVersionId: string, name?: string): DeclareVersion['target'] => ({
  kind: 'based',
  baseVersionId,
  name,
})

describe('artifact › unborn', () => {
  test('declaring makes version 1', () => {
    given().when(declare()).then(declared(1))
  })

  test('S-06 a version cannot be based on what does not exist', () => {
    given()
      .when(declare({}, basedOn('ver-1')))
      .thenRefused('not_found')
  })
})

describe('artifact › with a version', () => {
  test('BR-038 the next declaration makes the next version', () => {
    given(declared(1)).when(declare(second)).then(declared(2, second))
  })

  test('the same content again is a version of its own: another call declared it', () => {
    const again = { effectKey: 'r1:d3', versionId: 'ver-3' }
    given(declared(1)).when(declare(again)).then(declared(2, again))
  })

  test('X-12 the same effect key again changes nothing, whatever it brings', () => {
    given(declared(1))
      .when(declare({ sha256: 'c'.repeat(64) }))
      .thenNothing()
    given(declared(1), declared(2, second)).when(declare()).thenNothing()
  })

  test('S-06 a version based on the newest one is the next, under the same name', () => {
    given(declared(1))
      .when(declare(second, basedOn('ver-1')))
      .then(declared(2, second))
  })

  test('S-06 a stale base is refused as ARTIFACT_VERSION_CONFLICT', () => {
    const stale = declare({ effectKey: 'r1:d5', versionId: 'ver-3' }, basedOn('ver-1'))
    given(declared(1), declared(2, second)).when(stale).thenRefused('refused')
    expect(reasonOf(stale)).toBe('ARTIFACT_VERSION_CONFLICT base_version_id')
  })

  test('the name cannot be changed through its id', () => {
    given(declared(1))
      .when(declare(second, basedOn('ver-1', 'other.md')))
      .thenRefused('invalid')
  })

  test('a key finds its version', () => {
    const state = stateAfter(declared(1), declared(2, second))
    expect(versionOfKey(state, 'r1:d1')?.version).toBe(1)
    expect(versionOfKey(state, 'r1:d2')?.version).toBe(2)
    expect(versionOfKey(state, 'r1:d9')).toBeUndefined()
  })
})

function stateAfter(...events: readonly ArtifactVersionDeclared[]): ArtifactState {
  return events.reduce(
    (state, event) => artifactDecider.evolve(state, event),
    artifactDecider.initialState(),
  )
}

function reasonOf(command: DeclareVersion): string {
  const state = stateAfter(declared(1), declared(2, second))
  try {
    artifactDecider.decide(command, state)
    return 'accepted'
  } catch (error) {
    if (!isPlatformError(error)) throw error
    return `${error.details.reason ?? ''} ${error.details.field ?? ''}`
  }
}
