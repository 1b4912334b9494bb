import { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { PermissionDecision } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { ApprovalMode, InputPolicy } from '@sciencediscovery/proto-gen/sessions/v1/sessions'
import { SessionServiceService } from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import { type Channel, rpcClient } from '@sciencediscovery/service-kit'
import { type RunWatcher, type SeenEvent, watchRun } from './run-watcher.js'

/** A run that was started, and who watches it. */
export interface StartedRun {
  readonly runId: string
  readonly sessionId: string
  readonly watcher: RunWatcher
}

export interface RunOrder {
  /** Fixed per test: ids derive from it. */
  readonly key: string
  readonly script: unknown
  /** Who decides about calls; `ask` is answered by the watcher with a grant for all that match. */
  readonly approve: 'ask' | 'always'
  /** Told before the run starts. */
  readonly onSession?: (sessionId: string) => Promise<void>
  /** Told of each event in the moment it arrives. */
  readonly onEvent?: (event: SeenEvent) => void
}

const patience = { timeoutMs: 30_000, idempotent: true }

/** Creates a session and starts a run in it, as the command line does. */
export async function startRun(channel: Channel, order: RunOrder): Promise<StartedRun> {
  const sessions = rpcClient(SessionServiceService, channel)
  const { session } = await sessions.createSession(
    {
      idempotencyKey: `${order.key}-session`,
      projectId: 'default',
      settings: {
        ...{ title: order.key, profile: 'science', model: '', environmentId: '', runnerId: '' },
        approvalMode:
          order.approve === 'always'
            ? ApprovalMode.APPROVAL_MODE_ALWAYS_ALLOW
            : ApprovalMode.APPROVAL_MODE_ASK,
        inputPolicy: InputPolicy.INPUT_POLICY_ENQUEUE,
        ...{ toolPolicy: { allow: [], deny: [] }, skills: [], sources: [] },
      },
    },
    patience,
  )
  const sessionId = session?.sessionId ?? ''
  await order.onSession?.(sessionId)
  return runInSession(channel, sessionId, order)
}

/** Starts a further run of a session. */
export async function runInSession(
  channel: Channel,
  sessionId: string,
  { key, script, onEvent }: Pick<RunOrder, 'key' | 'script' | 'onEvent'>,
): Promise<StartedRun> {
  const runs = rpcClient(RunServiceService, channel)
  const { runId } = await runs.startRun(
    {
      ...{ idempotencyKey: `${key}-run`, sessionId, projectId: 'default' },
      ...{ message: 'go', model: '', maxModelTurns: 0 },
      script: Buffer.from(JSON.stringify(script)),
    },
    patience,
  )
  const watcher = watchRun(channel, runId, (event) => {
    onEvent?.(event)
    if (event.type !== 'tool.call.blocked') return
    const requestId = String(event.data.requestId)
    const decision = PermissionDecision.PERMISSION_DECISION_ALLOW_MATCHING
    void runs.decidePermission({ idempotencyKey: requestId, runId, requestId, decision }, patience)
  })
  return { runId, sessionId, watcher }
}
