import { refused } from '@sciencediscovery/kernel'
import { type CommitFile } from './commands.js'
import { type WorkspaceEvent } from './events.js'
import { busy, requireBase } from './executions.js'
import { snapshotFacts } from './facts.js'
import { lookUp } from './keyed.js'
import { requireOwner } from './ownership.js'
import { type FileEffect, type WorkspaceState } from './state.js'

export function commitFile(command: CommitFile, state: WorkspaceState): WorkspaceEvent[] {
  const { effectKey, epoch, workspaceId, pool, callId, runId, origin, at } = command
  if (doneEffect(state, effectKey, command.requestDigest)) return []
  requireOwner(epoch, state)
  if (state.running !== undefined) throw busy(state.running)
  requireBase(command.snapshot.baseTree, state)
  const { committed, changed } = snapshotFacts(command.snapshot, epoch, {
    workspaceId,
    pool,
    effectId: fileEffectId(effectKey),
    callId,
    runId,
    executionId: '',
    origin,
    at,
  })
  const { requestDigest, path, sha256, sizeBytes, mediaType, replacements } = command
  const file: WorkspaceEvent = {
    type: 'file.committed',
    v: 1,
    data: { effectKey, requestDigest, path, sha256, sizeBytes, mediaType, replacements, at },
  }
  return [committed, file, ...changed]
}

/** What was done under the key; refuses a key that stands for another request. */
export function doneEffect(
  state: WorkspaceState,
  effectKey: string,
  requestDigest: string,
): FileEffect | undefined {
  const done = lookUp(state.fileEffects, effectKey)
  if (done && done.file.requestDigest !== requestDigest) {
    throw refused(`effect key ${effectKey} stands for another request`, {
      reason: 'effect_key_reused',
      remedy: 'choose a new effect key',
    })
  }
  return done
}

const effectSuffix = ':changed'

export function fileEffectId(effectKey: string): string {
  return `${effectKey}${effectSuffix}`
}

export function effectKeyOf(effectId: string): string {
  return effectId.slice(0, -effectSuffix.length)
}
