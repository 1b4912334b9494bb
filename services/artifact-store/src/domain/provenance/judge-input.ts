import { type ExecutionInput } from '@sciencediscovery/run-events'
import { type Activity } from './activity.js'
import { type FileHistory, type Revision, revisionWith } from './history.js'

/** An input with where its content came from. */
export interface JudgedInput {
  readonly path: string
  readonly sha256: string
  /** `unknown`: nothing recorded how this content came there. */
  readonly origin: string
  readonly runnerId: string
  readonly evidence: ExecutionInput['evidence']
  readonly revision: Revision | undefined
}

/** What an activity really took, as the history of the file tells. */
export function judgeInput(
  activity: Activity,
  input: ExecutionInput,
  history: Pick<FileHistory, 'revisions'>,
): JudgedInput {
  const revision = revisionWith(history, input.sha256, activity.startedAt)
  return {
    path: input.path,
    sha256: input.sha256,
    origin: revision?.origin ?? 'unknown',
    runnerId: input.runnerId,
    evidence: isOwnBefore(activity, input, history) ? 'possible' : input.evidence,
    revision,
  }
}

/** Opening a file to replace it also touches what was there: that alone does not prove it was used. */
function isOwnBefore(
  activity: Activity,
  input: ExecutionInput,
  history: Pick<FileHistory, 'revisions'>,
): boolean {
  if (input.evidence !== 'observed' || !activity.execution) return false
  const { executionId } = activity.execution
  return history.revisions.some(
    (made) => made.executionId === executionId && made.previousSha256 === input.sha256,
  )
}

/** Whether the chain goes on through an input: a possible one is listed, never followed. */
export function isFollowed(input: JudgedInput): boolean {
  return input.evidence !== 'possible'
}
