import { mainAgentIdOf, workspaceIdOf, workspaceSubject } from '@sciencediscovery/run-events'
import { OperationsServiceService } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { rpcClient } from '@sciencediscovery/service-kit'
import { collect, until } from '@sciencediscovery/testing'
import { z } from 'zod'
import { type Constellation } from '../harness/constellation.js'
import { type SeenEvent } from '../harness/run-watcher.js'
import { type Victim } from './kill-plan.js'

const ClaimSchema = z.object({ address: z.string() })

/** Which process plays which part for one run; known at any moment, so that a kill comes at once. */
export interface Roles extends AsyncDisposable {
  nameOf(victim: Victim, events: readonly SeenEvent[]): string
  /** The runner that owns the workspace; waits until one does. */
  ownerKnown(): Promise<string>
}

/** Looks up who is who, then follows who owns the workspace of the session. */
export async function rolesOf(stack: Constellation, sessionId: string): Promise<Roles> {
  const orchestrators = await orchestratorsOf(stack)
  const runners = new Map(stack.processes.map(({ spec }) => [spec.address, spec.name]))
  const stop = new AbortController()
  const owner = { name: 'runner-0', known: false }
  const follow = async (): Promise<void> => {
    const subject = subjectOf(sessionId)
    for await (const { commit } of stack.ports.store.followSubject(subject, 0, stop.signal)) {
      const claim = commit.events.find(({ type }) => type === 'workspace.claimed')
      if (!claim) continue
      owner.name = runners.get(ClaimSchema.parse(claim.data).address) ?? owner.name
      owner.known = true
    }
  }
  const following = follow().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  return {
    nameOf(victim, events) {
      if (victim === 'runner') return owner.name
      if (victim !== 'orchestrator') return victim
      const writer = events.findLast(({ data }) => typeof data.writer === 'string')?.data.writer
      return orchestrators.get(String(writer)) ?? 'orchestrator-0'
    },
    async ownerKnown() {
      await until('the workspace has an owner', () => owner.known)
      return owner.name
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await following
    },
  }
}

/** Everything that is recorded of the session's workspace. */
export async function workspaceEvents(
  stack: Constellation,
  sessionId: string,
): Promise<readonly { readonly type: string; readonly data: unknown }[]> {
  const { store } = stack.ports
  const subject = subjectOf(sessionId)
  const last = await store.last(subject)
  if (!last) return []
  const commits = await collect(store.read(subject, { upToSequence: last.sequence }))
  return commits.flatMap(({ commit }) => commit.events)
}

function subjectOf(sessionId: string): string {
  return workspaceSubject(workspaceIdOf(mainAgentIdOf(sessionId), 'local'))
}

async function orchestratorsOf(stack: Constellation): Promise<ReadonlyMap<string, string>> {
  const found = stack.processes.filter(({ spec }) => spec.name.startsWith('orchestrator'))
  return new Map(
    await Promise.all(
      found.map(async ({ spec, channel }) => {
        const { replicaId } = await rpcClient(OperationsServiceService, channel).diagnose({})
        return [replicaId, spec.name] as const
      }),
    ),
  )
}
