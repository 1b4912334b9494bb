import { type Activity } from '../domain/provenance/activity.js'
import { type DownstreamStep, type UsedContent } from './downstream-step.js'
import { type Subject } from './find-subject.js'
import { type VersionOfRevision } from './linked-versions.js'
import { type PossibleUses } from './possible-uses.js'
import { activityDetails, originOf, placeDetails, toInput, toLink } from './provenance-details.js'
import { type SessionState } from './session-state.js'
import { type Downstream } from './trace-downstream.js'

type Json = Readonly<Record<string, unknown>>

/** The answer of GetDownstream, as JSON has it. */
export function downstreamDetails(findings: {
  readonly subject: Subject
  readonly session: SessionState
  readonly downstream: Downstream
  readonly versions: readonly VersionOfRevision[]
  readonly possible: PossibleUses
  readonly behind: readonly string[]
}): Json {
  const { subject, session, downstream, versions, possible, behind } = findings
  const { revision, artifact } = subject
  const { steps, truncated, onlyPossible } = downstream
  return {
    fileId: subject.fileId,
    ...placeDetails(subject),
    origin: originOf(subject),
    sha256: (revision ?? artifact)?.sha256 ?? '',
    revisionId: revision?.id ?? '',
    session,
    downstream: steps.map(toStep),
    files: filesOf(steps),
    artifactVersions: versions.map(toLink),
    possible: [...onlyPossible, ...possible.activities].map(activityDetails),
    possibleOmitted: possible.omitted,
    truncated,
    ...(behind.length > 0 && { behind }),
  }
}

function toStep({ hop, activity, inputs, outputs, outputsOmitted }: DownstreamStep): Json {
  return {
    hop,
    ...activityDetails(activity),
    inputs: inputs.map(toInput),
    outputs: outputs.map(toFile),
    outputsOmitted,
  }
}

/** Every file that came of the content, once, with the call that made it. */
function filesOf(steps: readonly DownstreamStep[]): readonly Json[] {
  const files = new Map<string, Json>()
  for (const { hop, activity, outputs } of steps) {
    for (const output of outputs) {
      if (!files.has(output.revisionId))
        files.set(output.revisionId, { ...toFile(output), hop, ...madeBy(activity) })
    }
  }
  return [...files.values()]
}

function madeBy({ callId, runId }: Activity): Json {
  return { callId, runId }
}

function toFile({ workspaceId, path, sha256, revisionId }: UsedContent): Json {
  return { path, sha256, revisionId, workspaceId }
}
