import { Concurrency, Replay, type Tool } from '@sciencediscovery/proto-gen/tools/v1/tools'
import {
  type ListToolsRequest,
  type ListToolsResponse,
} from '@sciencediscovery/proto-gen/tools/v1/tools_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { type OfferedTool } from '@sciencediscovery/tool-kit'
import { type Context } from '../context.js'
import { parseProfile, toPolicy } from './call-place.js'

/** ListTools: what the policy lets an agent see, as its profile spells it. */
export function listTools(ctx: Context): Unary<ListToolsRequest, ListToolsResponse> {
  return (request) => {
    const policy = toPolicy(request.toolPolicy)
    const entries = ctx.catalogue.offered(parseProfile(request.profile), policy)
    return Promise.resolve({ tools: entries.map(({ offered }) => toTool(offered)) })
  }
}

const concurrencies = {
  shared: Concurrency.CONCURRENCY_SHARED,
  exclusive: Concurrency.CONCURRENCY_EXCLUSIVE,
} as const

const replays = {
  pure: Replay.REPLAY_PURE,
  keyed: Replay.REPLAY_KEYED,
  'unknown-on-crash': Replay.REPLAY_UNKNOWN_ON_CRASH,
} as const

function toTool(offered: OfferedTool): Tool {
  const { name, description, observation } = offered
  return {
    name,
    description,
    parametersJson: JSON.stringify(offered.parameters),
    concurrency: concurrencies[offered.concurrency],
    replay: replays[offered.replay],
    observation,
    deadlineMs: BigInt(offered.deadlineMs),
  }
}
