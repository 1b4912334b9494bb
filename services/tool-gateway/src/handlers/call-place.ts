import { invalid } from '@sciencediscovery/kernel'
import { type CallContext } from '@sciencediscovery/proto-gen/tools/v1/tools'
import { type Profile, profiles } from '@sciencediscovery/tool-kit'
import { type ToolPolicy } from '../domain/policy/tool-policy.js'

/** The profile by its wire name; empty means science. */
export function parseProfile(profile: string): Profile {
  const known = profiles.find((name) => name === (profile === '' ? 'science' : profile))
  if (known === undefined) {
    throw invalid('profile', `${JSON.stringify(profile)} is none`, `send ${profiles.join(', ')}`)
  }
  return known
}

/** The policy; a missing one allows everything. */
export function toPolicy(policy: ToolPolicy | undefined): ToolPolicy {
  return policy ?? { allow: [], deny: [] }
}

/** Where the call comes from; all of it must be said. */
export function parsePlace(place: CallContext | undefined): CallContext {
  if (!place) throw invalid('context', 'is missing', 'send where the call comes from')
  const needed = ['projectId', 'sessionId', 'runId', 'agentId', 'workspaceId', 'runnerId'] as const
  for (const field of needed) {
    if (place[field] === '') throw invalid(`context.${field}`, 'is empty', 'send the id')
  }
  return place
}

/** The key of the effect. */
export function parseCallKey(callKey: string): string {
  if (callKey === '') throw invalid('call_key', 'is empty', 'send run id and call id')
  return callKey
}
