import { type Authorization, type Effect } from '@sciencediscovery/run-events'

/** A tool as the gateway offers it. */
export interface OfferedTool {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly concurrency: 'shared' | 'exclusive'
  readonly replay: 'pure' | 'keyed' | 'unknown-on-crash'
  readonly observation: boolean
  readonly deadlineMs: number
}

export interface ToolPolicy {
  readonly allow: readonly string[]
  readonly deny: readonly string[]
}

/** Where a call comes from and what it may touch. */
export interface CallPlace {
  readonly projectId: string
  readonly sessionId: string
  readonly runId: string
  readonly agentId: string
  readonly callId: string
  readonly turn: number
  readonly workspaceId: string
  readonly runnerId: string
  readonly environmentId: string
  readonly profile: string
  readonly toolPolicy: ToolPolicy
  readonly minPosition: string
}

export interface ToolInvocation {
  readonly callKey: string
  readonly place: CallPlace
  readonly name: string
  readonly argumentsText: string
  readonly authorization?: Authorization
  readonly attempt: number
}

/** How an invocation ended. */
export type InvocationEnd =
  | {
      readonly kind: 'permission'
      readonly action: string
      readonly resource: string
      readonly summary: string
    }
  | {
      readonly kind: 'result'
      readonly text: string
      readonly isError: boolean
      readonly details: unknown
      readonly ref?: string
      readonly effects: readonly Effect[]
    }

/** The gateway, as the orchestrator needs it. */
export interface ToolClient {
  list(profile: string, policy: ToolPolicy, signal: AbortSignal): Promise<readonly OfferedTool[]>
  invoke(
    invocation: ToolInvocation,
    options: {
      readonly signal: AbortSignal
      readonly onProgress: (kind: string, text: string) => void
    },
  ): Promise<InvocationEnd>
  /** Asks the owner of the effect to end the call; the invocation then ends with its outcome. */
  cancel(
    invocation: Pick<ToolInvocation, 'callKey' | 'place' | 'name'>,
    signal: AbortSignal,
  ): Promise<void>
}
