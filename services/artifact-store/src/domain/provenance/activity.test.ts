import { describe, expect, test } from 'vitest'
import { type Activity, type CallFact, type ExecutionFact, activityOf } from './activity.js'
import { type Revision } from './history.js'
import { isFollowed, judgeInput } from './judge-input.js'

const before = 'a'.repeat(64)
const event = { stream: 'runs/r', position: 9 }
const revision: Revision = {
  id: 'rev-1',
  workspaceId: 'w',
  path: 'results/figure.png',
  sha256: 'b'.repeat(64),
  origin: 'agent',
  callId: 's6',
  runId: 'r',
  executionId: 'e',
  effectId: 'eff',
  parentRevisionId: null,
  previousSha256: before,
  movedFrom: null,
  birth: { kind: 'path', key: 'path' },
  at: '2026-01-01T00:00:00Z',
  event,
}
const execution: ExecutionFact = {
  effectId: 'exec-e',
  executionId: 'e',
  workspaceId: 'w',
  runId: 'r',
  callId: 's6',
  state: 'completed',
  exitCode: 0,
  command: 'Rscript scripts/plot.R 1600',
  environment: { id: '', revision: '' },
  startedAt: '2026-01-01T00:00:00Z',
  finishedAt: '2026-01-01T00:00:01Z',
  inputs: [
    { path: 'results/figure.png', sha256: before, evidence: 'observed', runnerId: 'local' },
    { path: 'scripts/plot.R', sha256: 'c'.repeat(64), evidence: 'observed', runnerId: 'local' },
  ],
  inputsOmitted: 0,
  event,
}
const call = (name: string): CallFact => ({
  runId: 'r',
  callId: 'e1',
  name,
  outcome: 'completed',
  event: { stream: 'runs/r', position: 7 },
})

const older: Revision = {
  ...revision,
  id: 'rev-0',
  sha256: before,
  previousSha256: null,
  callId: 's5',
  executionId: 'e5',
  at: '2025-12-31T00:00:00Z',
}

function executed(): Activity {
  const activity = activityOf(revision, execution, call('run_shell'))
  if (!activity) throw new Error('an execution is an activity')
  return activity
}

describe('activity behind a revision', () => {
  test('an execution is cited by its own event and keeps its inputs', () => {
    expect(executed()).toMatchObject({ kind: 'execution', callId: 's6', name: 'run_shell', event })
    expect(executed().inputs).toHaveLength(2)
  })

  test('SC-01 an edit comes from what it edited, a write does not', () => {
    const byTool = { ...revision, callId: 'e1', executionId: '' }
    const edited = activityOf(byTool, undefined, call('edit_file'))
    const written = activityOf(byTool, undefined, call('write_file'))
    expect(edited?.inputs).toMatchObject([{ sha256: before, evidence: 'declared' }])
    expect(written?.inputs).toMatchObject([{ sha256: before, evidence: 'possible' }])
    expect(edited?.event.position).toBe(7)
  })

  test('an upload and an unknown change have no activity', () => {
    expect(activityOf({ ...revision, callId: '' }, undefined, undefined)).toBeUndefined()
    expect(activityOf({ ...revision, event: null }, undefined, undefined)).toBeUndefined()
  })
})

describe('input of an activity', () => {
  const input = {
    path: revision.path,
    sha256: before,
    evidence: 'observed',
    runnerId: 'local',
  } as const

  test('SC-03 the content that the execution itself replaced is only possible, thus not followed', () => {
    const judged = judgeInput(executed(), input, { revisions: [older, revision] })
    expect(judged).toMatchObject({
      evidence: 'possible',
      origin: 'agent',
      revision: { id: 'rev-0' },
    })
    expect(isFollowed(judged)).toBe(false)
  })

  test('a content that was declared stays declared, replaced or not', () => {
    const declared = { ...input, evidence: 'declared' } as const
    const judged = judgeInput(executed(), declared, {
      revisions: [older, revision],
    })
    expect(isFollowed(judged)).toBe(true)
  })

  test('what the execution only read is followed', () => {
    const judged = judgeInput(executed(), input, { revisions: [older] })
    expect(judged).toMatchObject({ evidence: 'observed', revision: { callId: 's5' } })
    expect(isFollowed(judged)).toBe(true)
  })

  test('S-03 a content without a record is of unknown origin', () => {
    const judged = judgeInput(executed(), input, { revisions: [] })
    expect(judged).toMatchObject({ origin: 'unknown', revision: undefined })
  })
})
