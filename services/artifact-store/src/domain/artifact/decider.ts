import {
  type Buckets,
  type Decider,
  emptyBuckets,
  invalid,
  lookUp,
  notFound,
  put,
  refused,
} from '@sciencediscovery/kernel'
import { type ArtifactCommand, type DeclareVersion } from './commands.js'
import { type ArtifactEvent, type ArtifactVersionDeclared } from './events.js'
import { previewKindOf } from './preview-kind.js'

export type DeclaredVersion = ArtifactVersionDeclared['data']

/** A named, versioned result of a project. */
export type ArtifactState =
  | { readonly status: 'unborn' }
  | {
      readonly status: 'declared'
      readonly first: DeclaredVersion
      readonly newest: DeclaredVersion
      readonly byEffectKey: Buckets<DeclaredVersion>
    }

/**
 * Invariants: versions are 1, 2, 3 … without gap (BR-038); an effect key makes at most one version;
 * the name never changes; a version based on one that is not the newest is refused.
 */
export const artifactDecider: Decider<ArtifactState, ArtifactCommand, ArtifactEvent> = {
  initialState: () => ({ status: 'unborn' }),
  decide: (command, state) => declareVersion(command, state),
  evolve: (state, event) => declared(state, event.data),
}

/** The version that the key made, if any. */
export function versionOfKey(state: ArtifactState, effectKey: string): DeclaredVersion | undefined {
  return state.status === 'declared' ? lookUp(state.byEffectKey, effectKey) : undefined
}

function declareVersion(command: DeclareVersion, state: ArtifactState): readonly ArtifactEvent[] {
  const { content } = command
  if (versionOfKey(state, content.effectKey)) return []
  const name = nameFor(command, state)
  const version = state.status === 'declared' ? state.newest.version + 1 : 1
  const kind = previewKindOf(name, content.mediaType)
  const data = { ...content, name, kind, version }
  return [{ type: 'artifact.version.declared', v: 1, data }]
}

function nameFor({ target, content }: DeclareVersion, state: ArtifactState): string {
  if (target.kind === 'named') return target.name
  if (state.status === 'unborn') throw notFound(`artifact ${content.artifactId}`)
  const { name, version, versionId } = state.newest
  if (target.name !== undefined && target.name !== name)
    throw invalid('name', `the artifact is called ${JSON.stringify(name)}`, 'leave the name out')
  if (target.baseVersionId !== versionId)
    throw refused(`the newest version is ${version} (${versionId}), not ${target.baseVersionId}`, {
      reason: 'ARTIFACT_VERSION_CONFLICT',
      field: 'base_version_id',
      remedy: `read version ${version}, then declare with base_version_id ${versionId}`,
    })
  return name
}

function declared(state: ArtifactState, version: DeclaredVersion): ArtifactState {
  const born = state.status === 'declared'
  const known = born ? state.byEffectKey : emptyBuckets<DeclaredVersion>()
  return {
    status: 'declared',
    first: born ? state.first : version,
    newest: version,
    byEffectKey: put(known, version.effectKey, version),
  }
}
