import { specFor } from '@sciencediscovery/testing'
import { describe, expect, test } from 'vitest'
import { type WorkspaceCommand } from './commands.js'
import { workspaceDecider } from './decider.js'
import { type WorkspaceEvent } from './events.js'
import {
  at,
  cancelRequested,
  changed,
  claim,
  claimed,
  commitFile,
  committed,
  completed,
  exited,
  fileCommitted,
  finish,
  placement,
  pool,
  queue,
  queued,
  released,
  started,
  toTree,
  treeA,
  treeB,
  workspaceId,
} from './examples.js'
import { lookUp } from './keyed.js'

const given = specFor(workspaceDecider)
const request: WorkspaceCommand = { type: 'RequestPlacement', pool, at }
const cancel: WorkspaceCommand = {
  type: 'CancelExecution',
  ...{ workspaceId, pool, executionId: 'e1', reason: 'cancelled', at },
}
const start = (executionId: string, epoch: number): WorkspaceCommand => ({
  type: 'StartExecution',
  ...{ executionId, epoch, at },
})
const owned = [placement(1), claimed(1, 1)]
const running = [...owned, queued('e1'), started('e1', 1)]
const ended = [...running, exited('e1', 1), committed(1, null, treeA), completed('e1')]
const recorded = {
  manifest: { digest: treeB, sizeBytes: 9, mediaType: 'application/json', preview: '' },
}
const lost = { state: 'unknown', exitCode: null, reason: 'owner_lost' } as const

describe('workspace › without owner', () => {
  test('a placement is requested', () => {
    given().when(request).then(placement(1))
  })

  test('the placement in the air is not requested again', () => {
    given(placement(1)).when(request).thenNothing()
  })

  test('the next placement is higher than every epoch before', () => {
    given(placement(1), claimed(1, 1), claimed(1, 2), released(2)).when(request).then(placement(3))
  })

  test('whoever has the placement claims it', () => {
    given(placement(1)).when(claim(1)).then(claimed(1, 1))
  })

  test('a placement that is over is refused', () => {
    given(...owned, released(1), placement(2))
      .when(claim(1))
      .thenRefused()
  })
})

describe('workspace › owned', () => {
  test('the same placement in other hands is claimed under a higher epoch', () => {
    given(...owned)
      .when(claim(1))
      .then(claimed(1, 2))
  })

  test('a claim settles what ran as unknown and leaves what waits', () => {
    given(...running, queued('e2'))
      .when(claim(1))
      .then(claimed(1, 2), completed('e1', lost))
  })

  test('a claim that restored another snapshot is refused', () => {
    given(...ended)
      .when(claim(1))
      .thenRefused()
  })

  test('what changed behind the back of the platform comes in as unknown', () => {
    given(...ended)
      .when(claim(1, { drift: toTree(treeA, treeB), restoredTree: treeA }))
      .then(
        claimed(1, 2),
        committed(2, treeA, treeB),
        changed({
          effectId: `${workspaceId}:2:drift`,
          ...{ callId: '', executionId: '', origin: 'unknown', baseTree: treeA, tree: treeB },
        }),
      )
  })

  test.each([
    ['release', { type: 'ReleaseWorkspace', epoch: 1, at }],
    ['start', start('e2', 1)],
    ['finish', finish('e1', 1)],
    ['commit of a file', commitFile('k1', 1)],
  ] as const)('rule 8: the %s of an older epoch is refused', (_, command) => {
    given(...running, queued('e2'), claimed(1, 2))
      .when(command)
      .thenRefused()
  })

  test('is released when nothing waits or runs', () => {
    given(...owned)
      .when({ type: 'ReleaseWorkspace', epoch: 1, at })
      .then(released(1))
    given(...owned, queued('e1'))
      .when({ type: 'ReleaseWorkspace', epoch: 1, at })
      .thenRefused()
  })
})

describe('execution › queue', () => {
  test('an owner that is free starts it in the same commit', () => {
    given(...owned)
      .when(queue('e1', { startUnder: 1 }))
      .then(queued('e1'), started('e1', 1))
  })

  test('S-07: a second one waits for the first', () => {
    given(...running)
      .when(queue('e2', { startUnder: 1 }))
      .then(queued('e2'))
    given(...running, queued('e2'))
      .when(start('e2', 1))
      .thenRefused()
  })

  test('without an owner it asks for one', () => {
    given().when(queue('e1')).then(queued('e1'), placement(1))
  })

  test('only the first of the queue is started', () => {
    const waiting = [...owned, queued('e1'), queued('e2')]
    given(...waiting)
      .when(start('e2', 1))
      .thenRefused()
    given(...waiting)
      .when(start('e1', 1))
      .then(started('e1', 1))
  })

  test('asked for again it is the same one, for another command it is refused', () => {
    given(...running)
      .when(queue('e1'))
      .thenNothing()
    const command = { digest: 'e'.repeat(64), preview: 'false' }
    given(...running)
      .when(queue('e1', { command }))
      .thenRefused()
  })
})

describe('execution › cancel', () => {
  test('before it was asked for leaves a mark that refuses it', () => {
    given(...owned)
      .when(cancel)
      .then(cancelRequested('e1'))
    given(...owned, cancelRequested('e1'))
      .when(queue('e1', { startUnder: 1 }))
      .thenRefused()
  })

  test('S-10: of a waiting one ends it at once', () => {
    const end = completed('e1', { state: 'cancelled', exitCode: null, reason: 'cancelled' })
    given(...owned, queued('e1'))
      .when(cancel)
      .then(cancelRequested('e1'), end)
  })

  test('S-10: of a running one is a request, once', () => {
    given(...running)
      .when(cancel)
      .then(cancelRequested('e1'))
    given(...running, cancelRequested('e1'))
      .when(cancel)
      .thenNothing()
  })

  test('S-10: of an ended one changes nothing', () => {
    given(...ended)
      .when(cancel)
      .thenNothing()
  })
})

describe('execution › finish', () => {
  test('exit, snapshot, outcome and change are one commit', () => {
    given(...running)
      .when(finish('e1', 1, { snapshot: toTree(null, treeA) }))
      .then(exited('e1', 1), committed(1, null, treeA), completed('e1'), changed())
  })

  test('another exit code is a failure with its reason', () => {
    const end = completed('e1', { state: 'failed', exitCode: 3, reason: 'exit_code' })
    given(...running)
      .when(finish('e1', 1, { exitCode: 3 }))
      .then(exited('e1', 1), committed(1, null, treeA), end)
  })

  test('BR-022: a cancelled one says why it was cancelled', () => {
    const end = completed('e1', { state: 'cancelled', exitCode: 124, reason: 'timed_out' })
    const then = [exited('e1', 1), committed(1, null, treeA), end]
    const cancelled = [...running, cancelRequested('e1', 'timed_out')]
    given(...cancelled)
      .when(finish('e1', 1, { exitCode: 137 }))
      .then(...then)
    const unsaid = finish('e1', 1, { exitCode: 137, reason: 'timed_out' })
    given(...running)
      .when(unsaid)
      .then(...then)
  })

  test('one that ended well before it could be cancelled is completed', () => {
    given(...running, cancelRequested('e1'))
      .when(finish('e1', 1))
      .then(exited('e1', 1), committed(1, null, treeA), completed('e1'))
  })

  test('has one outcome', () => {
    given(...ended)
      .when(finish('e1', 1, { snapshot: toTree(treeA, treeB) }))
      .thenNothing()
  })

  test('a snapshot that starts elsewhere is refused', () => {
    given(...running)
      .when(finish('e1', 1, { snapshot: toTree(treeB, treeA) }))
      .thenRefused()
  })
})

describe('execution › long output', () => {
  const part = { output: recorded, stdoutBytes: 70, stderrBytes: 0 }
  const record = (epoch: number): WorkspaceCommand => ({
    type: 'RecordOutput',
    ...{ executionId: 'e1', epoch, ...part, at },
  })
  const data = { executionId: 'e1', epoch: 1, ...part, at }
  const told: WorkspaceEvent = { type: 'execution.output.recorded', v: 1, data }

  test('what is stored of it is recorded while it runs, by its owner', () => {
    given(...running)
      .when(record(1))
      .then(told)
    given(...running)
      .when(record(2))
      .thenRefused()
    given(...ended)
      .when(record(1))
      .thenNothing()
  })

  test('architecture 6: a lost one keeps what was recorded, an ended one has all', () => {
    const over = lookUp(fold([...running, told, completed('e1', lost)]).executions, 'e1')
    expect(over).toMatchObject({ status: 'ended', output: recorded })
    const whole = lookUp(
      fold([...running, told, exited('e1', 1), completed('e1')]).executions,
      'e1',
    )
    expect(whole).toMatchObject({ output: exited('e1', 1).data.output })
  })
})

describe('file effect', () => {
  const change = changed({ effectId: 'k1:changed', executionId: '', origin: 'agent' })

  test('is committed with its snapshot', () => {
    given(...owned)
      .when(commitFile('k1', 1))
      .then(committed(1, null, treeA), fileCommitted('k1'), change)
  })

  test('X-12: is done once per key', () => {
    given(...owned, committed(1, null, treeA), fileCommitted('k1'), change)
      .when(commitFile('k1', 1, { snapshot: toTree(treeA, treeB) }))
      .thenNothing()
  })

  test('a key that stands for another request is refused', () => {
    given(...owned, committed(1, null, treeA), fileCommitted('k1'))
      .when(commitFile('k1', 1, { requestDigest: 'e'.repeat(64) }))
      .thenRefused()
  })

  test('is refused while an execution writes', () => {
    given(...running)
      .when(commitFile('k1', 1))
      .thenRefused()
  })

  test('keeps the change it made for whoever asks again', () => {
    const state = fold([...owned, committed(1, null, treeA), fileCommitted('k1'), change])
    expect(lookUp(state.fileEffects, 'k1')?.changed).toEqual(change.data)
  })
})

describe('workspace › state', () => {
  test('an ended execution keeps its output and its change', () => {
    const state = fold([...ended, changed()])
    expect(lookUp(state.executions, 'e1')).toMatchObject({
      status: 'ended',
      output: exited('e1', 1).data.output,
      changed: changed().data,
    })
    expect(state.running).toBeUndefined()
  })
})

function fold(events: readonly WorkspaceEvent[]) {
  return events.reduce(
    (state, event) => workspaceDecider.evolve(state, event),
    workspaceDecider.initialState(),
  )
}
