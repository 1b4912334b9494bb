import { type Context } from '../context.js'
import { type Break, breakAt } from '../domain/provenance/breaks.js'
import { isFollowed } from '../domain/provenance/judge-input.js'
import { placeOfInput } from '../domain/provenance/places.js'
import { lossesAmong } from '../projections/uses-queries.js'
import { type Subject } from './find-subject.js'
import { type SessionState } from './session-state.js'
import { type Upstream } from './trace-upstream.js'

/** A chain may break at thousands of inputs: so many are told. */
const maxBreaks = 50

/** Where the chain cannot go on, and why (contract 3.10). */
export async function findBreaks(
  ctx: Context,
  told: {
    readonly subject: Subject
    readonly upstream: Upstream
    readonly session: SessionState
    readonly behind: readonly string[]
  },
): Promise<readonly Break[]> {
  const { subject, upstream, session, behind } = told
  const { steps } = upstream
  const own = subject.place.workspaceId
  const executions = steps.flatMap(({ activity }) => activity.execution ?? [])
  const losses = await lossesAmong(
    ctx.db,
    executions.map(({ effectId }) => effectId),
    [...new Set([own, ...steps.map(({ activity }) => activity.workspaceId)])],
  )
  const whyIn = (workspaceId: string) => ({
    isListLost: losses.changes.has(workspaceId),
    isSessionDeleted: session.state === 'deleted' && workspaceId === own,
  })
  const itself = breakAt(contentOf(subject), subject.revision, '', whyIn(own))
  const inputs = steps.flatMap(({ activity, inputs: taken }) =>
    taken.filter(isFollowed).flatMap((input) => {
      const { workspaceId } = placeOfInput(activity.workspaceId, input)
      return breakAt(input, input.revision, activity.callId, whyIn(workspaceId)) ?? []
    }),
  )
  const lists = executions
    .filter(({ effectId }) => losses.inputs.has(effectId))
    .map(({ callId }): Break => ({ reason: 'list_lost', path: '', sha256: '', callId }))
  const late = behind.map((): Break => ({
    ...{ reason: 'view_behind', path: '' },
    ...{ sha256: '', callId: '' },
  }))
  return [...(itself ? [itself] : []), ...inputs, ...lists, ...late].slice(0, maxBreaks)
}

function contentOf({ place, revision, artifact }: Subject): { path: string; sha256: string } {
  return { path: place.path, sha256: revision?.sha256 ?? artifact?.sha256 ?? '' }
}
