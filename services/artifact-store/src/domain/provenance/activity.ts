import { type ExecutionInput } from '@sciencediscovery/run-events'
import { type EventPlace, type Revision } from './history.js'

/** An execution, as the run states its end. */
export interface ExecutionFact {
  readonly effectId: string
  readonly executionId: string
  readonly workspaceId: string
  readonly runId: string
  readonly callId: string
  readonly state: string
  readonly exitCode: number | null
  readonly command: string
  readonly environment: { readonly id: string; readonly revision: string }
  readonly startedAt: string
  readonly finishedAt: string
  readonly inputs: readonly ExecutionInput[]
  /** Possible inputs that are not among them. */
  readonly inputsOmitted: number
  readonly event: EventPlace
}

/** A tool call of a run. */
export interface CallFact {
  readonly runId: string
  readonly callId: string
  readonly name: string
  readonly outcome: string
  readonly event: EventPlace
}

/** Whatever made a revision, and what it could read. */
export interface Activity {
  readonly kind: 'execution' | 'tool'
  readonly workspaceId: string
  readonly runId: string
  readonly callId: string
  readonly name: string
  readonly execution: ExecutionFact | undefined
  readonly event: EventPlace
  /** Inputs are looked for in what was there before this time. */
  readonly startedAt: string
  readonly inputs: readonly ExecutionInput[]
  readonly inputsOmitted: number
  /** Set when all that it did to the content was to move it. */
  readonly moved: { readonly fromPath: string; readonly toPath: string } | undefined
  /** Set for a file that a transfer copied: each comes from its own source, whatever else the call copied. */
  readonly copiedTo?: string
}

/** What a transfer copied: the content of a file in another workspace of the agent. */
export interface CopyFact {
  readonly sourcePath: string
  /** Pool that held it. */
  readonly sourceRunnerId: string
  readonly sha256: string
}

/** The edit tool keeps every byte that it does not name: what it makes comes from what was there. */
const derivingTools = new Set(['edit_file'])

/** The activity behind a revision; undefined when no call made it. */
export function activityOf(
  revision: Revision,
  execution: ExecutionFact | undefined,
  call: CallFact | undefined,
  copy?: CopyFact,
): Activity | undefined {
  if (execution) {
    const whole = ofExecution(execution, call)
    return revision.movedFrom === null ? whole : ofMove(whole, revision, revision.movedFrom)
  }
  if (revision.callId === '' || revision.event === null) return undefined
  const whole = ofCall(revision, revision.event, call)
  if (!copy) return { ...whole, inputs: replacedContent(revision, call) }
  return { ...whole, inputs: copiedContent(copy), copiedTo: revision.path }
}

function ofCall(
  { workspaceId, runId, callId, at }: Revision,
  event: EventPlace,
  call: CallFact | undefined,
): Omit<Activity, 'inputs'> {
  return {
    ...{ kind: 'tool', workspaceId, runId, callId },
    name: call?.name ?? '',
    execution: undefined,
    event: call?.event ?? event,
    startedAt: at,
    ...{ inputsOmitted: 0, moved: undefined },
  }
}

/** Both ends of a copy were compared: the content is that of its source, and of nothing that was replaced. */
function copiedContent({
  sourcePath,
  sourceRunnerId,
  sha256,
}: CopyFact): readonly ExecutionInput[] {
  return [{ path: sourcePath, sha256, evidence: 'observed', runnerId: sourceRunnerId }]
}

/** An execution as an activity of its own, whatever it made. */
export function ofExecution(execution: ExecutionFact, call: CallFact | undefined): Activity {
  return {
    kind: 'execution',
    workspaceId: execution.workspaceId,
    runId: execution.runId,
    callId: execution.callId,
    name: call?.name ?? '',
    execution,
    event: execution.event,
    startedAt: execution.startedAt,
    inputs: execution.inputs,
    inputsOmitted: execution.inputsOmitted,
    moved: undefined,
  }
}

/** Content that was only moved comes from where it was, whatever else the execution read: both snapshots show it. */
function ofMove(whole: Activity, revision: Revision, fromPath: string): Activity {
  const { path: toPath, sha256, event } = revision
  return {
    ...whole,
    event: event ?? whole.event,
    inputs: [{ path: fromPath, sha256, evidence: 'observed', runnerId: '' }],
    inputsOmitted: 0,
    moved: { fromPath, toPath },
  }
}

function replacedContent(
  { path, previousSha256 }: Revision,
  call: CallFact | undefined,
): readonly ExecutionInput[] {
  if (previousSha256 === null) return []
  const evidence = call && derivingTools.has(call.name) ? 'declared' : 'possible'
  return [{ path, sha256: previousSha256, evidence, runnerId: '' }]
}
