import {
  type ListRunnersRequest,
  type ListRunnersResponse,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { type PoolPresence } from '../reactors/pool-presence.js'

/** The pools that are heard of, how many replicas of each answer, and how they wall executions in. */
export function listRunners(
  presence: Pick<PoolPresence, 'pools'>,
): Unary<ListRunnersRequest, ListRunnersResponse> {
  return () => Promise.resolve({ runners: [...presence.pools()] })
}
