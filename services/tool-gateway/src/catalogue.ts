import { PlatformError } from '@sciencediscovery/kernel'
import { type OfferedTool, type Profile, type Tool, profiles } from '@sciencediscovery/tool-kit'
import { type ToolCall } from './tool-call.js'
import { type ToolPolicy, isAllowed } from './domain/policy/tool-policy.js'

/** A tool of the gateway. */
export interface GatewayTool {
  readonly tool: Tool<ToolCall>
  /** Asks the owner of the effect to end the call; true when it was known there. */
  readonly cancel?: (call: ToolCall) => Promise<boolean>
}

/** A tool under the name that a profile gives it. */
export interface CatalogueEntry extends GatewayTool {
  readonly offered: OfferedTool
}

/** The tools by profile and name. */
export interface Catalogue {
  /** What the policy lets an agent see, by name. */
  readonly offered: (profile: Profile, policy: ToolPolicy) => readonly CatalogueEntry[]
  /** Undefined when there is no such tool, or the policy hides it: both look the same. */
  readonly find: (profile: Profile, policy: ToolPolicy, name: string) => CatalogueEntry | undefined
}

/** A catalogue of the tools; two of one name in a profile are a mistake in the code. */
export function catalogueOf(tools: readonly GatewayTool[]): Catalogue {
  const byProfile = new Map(profiles.map((profile) => [profile, entriesOf(tools, profile)]))
  const isVisible = ({ tool, offered }: CatalogueEntry, policy: ToolPolicy): boolean =>
    isAllowed(policy, [offered.name, tool.name])
  return {
    offered: (profile, policy) =>
      [...(byProfile.get(profile)?.values() ?? [])].filter((entry) => isVisible(entry, policy)),
    find: (profile, policy, name) => {
      const entry = byProfile.get(profile)?.get(name)
      return entry && isVisible(entry, policy) ? entry : undefined
    },
  }
}

function entriesOf(
  tools: readonly GatewayTool[],
  profile: Profile,
): ReadonlyMap<string, CatalogueEntry> {
  const entries = tools
    .flatMap((entry) => {
      const offered = entry.tool.offer(profile)
      return offered ? [[offered.name, { ...entry, offered }] as const] : []
    })
    .sort(([left], [right]) => (left < right ? -1 : 1))
  const byName = new Map(entries)
  if (byName.size < entries.length) {
    throw new PlatformError('bug', `two tools share a name in the ${profile} profile`)
  }
  return byName
}
