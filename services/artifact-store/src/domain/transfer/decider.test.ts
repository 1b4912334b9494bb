import { specFor } from '@sciencediscovery/testing'
import { describe, expect, test } from 'vitest'
import { type Found, type SettleFile, type TransferOrder } from './commands.js'
import { transferDecider } from './decider.js'
import { type TransferEvent } from './events.js'
import { type BornTransfer, bornOf } from './state.js'

const at = '2026-12-01T10:00:00.000Z'
const shaOf = (letter: string): string => letter.repeat(64)
const order: TransferOrder = {
  transferId: 'tr1',
  callId: 't1',
  workspaceId: 'w-gpu-0123456789abcdef-default',
  runId: 'r-0-0123456789abcdef-default',
  sessionId: 's-0123456789abcdef-default',
  agentId: 'a-0123456789abcdef-default',
  sourceWorkspaceId: 'w-local-0123456789abcdef-default',
  conflict: 'reject',
  files: [
    { sourcePath: 'a', targetPath: 'in/a' },
    { sourcePath: 'b', targetPath: 'in/b' },
  ],
}
const given = specFor(transferDecider)
const queue = { type: 'QueueTransfer', order, at } as const
const take = (replicaId: string): { type: 'TakeTransfer'; replicaId: string; at: string } => ({
  type: 'TakeTransfer',
  ...{ replicaId, at },
})
const both: readonly Found[] = [
  { sha256: shaOf('a'), sizeBytes: 3 },
  { sha256: shaOf('b'), sizeBytes: 5 },
]
const missing: Found = { reason: 'source_missing', message: 'a: not found' }
const fix = (found: readonly Found[], attempt = 1): Parameters<typeof apply>[1][number] => ({
  type: 'FixContents',
  ...{ attempt, found, at },
})
const done = (index: number, attempt = 1): SettleFile => ({
  type: 'SettleFile',
  outcome: { ok: true, targetPath: order.files[index]?.targetPath ?? '', changes: [] },
  ...{ attempt, index, at },
})
const failed = (index: number): SettleFile => ({
  type: 'SettleFile',
  outcome: { ok: false, reason: 'conflict', message: 'it exists' },
  ...{ attempt: 1, index, at },
})
const cancel = { type: 'CancelTransfer', asker: order, at } as const

type Command = Parameters<typeof transferDecider.decide>[0]

/** What commands make happen, one after the other. */
function apply(
  events: readonly TransferEvent[],
  commands: readonly Command[],
): readonly TransferEvent[] {
  return commands.reduce((past, command) => {
    const state = past.reduce(
      (folded, event) => transferDecider.evolve(folded, event),
      transferDecider.initialState(),
    )
    return [...past, ...transferDecider.decide(command, state)]
  }, events)
}
const after = (...commands: readonly Command[]): readonly TransferEvent[] => apply([], commands)
const typesOf = (events: readonly TransferEvent[]): readonly string[] =>
  events.map(({ type }) => type)
const stateOf = (events: readonly TransferEvent[]): BornTransfer | undefined =>
  bornOf(
    events.reduce(
      (folded, event) => transferDecider.evolve(folded, event),
      transferDecider.initialState(),
    ),
  )
const running = after(queue, take('one'), fix(both))

describe('a transfer', () => {
  test('is asked for once, whoever asks again (S-12, X-12)', () => {
    given(...after(queue))
      .when(queue)
      .thenNothing()
    expect(typesOf(after(queue))).toEqual(['transfer.queued'])
  })

  test('starts with what the source had then, and ends completed with its last file (S-12)', () => {
    const events = apply(running, [done(0), done(1)])
    expect(typesOf(events)).toEqual([
      'transfer.queued',
      'transfer.attempt.started',
      'transfer.started',
      'transfer.file.completed',
      'transfer.file.completed',
      'transfer.completed',
    ])
    expect(events.at(-1)?.data).toMatchObject({
      ...{ completedFiles: 2, failedFiles: 0, copiedBytes: 8, effectId: 'tr1:end' },
    })
  })

  test('keeps what succeeded beside what failed (S-12)', () => {
    expect(typesOf(apply(running, [failed(0), done(1)])).slice(3)).toEqual([
      'transfer.file.failed',
      'transfer.file.completed',
      'transfer.partial',
    ])
    expect(typesOf(apply(running, [failed(0), failed(1)])).at(-1)).toBe('transfer.failed')
  })

  test('goes on with the other files when the source lacks one (S-12)', () => {
    const events = after(queue, take('one'), fix([missing, both[1] ?? missing]), done(1))
    expect(typesOf(events).slice(2)).toEqual([
      'transfer.started',
      'transfer.file.failed',
      'transfer.file.completed',
      'transfer.partial',
    ])
    expect(stateOf(events)?.files[0]).toMatchObject({ status: 'failed', reason: 'source_missing' })
  })

  test('fails at once when the source has none of the files (S-12)', () => {
    const events = after(queue, take('one'), fix([missing, missing]))
    expect(typesOf(events).at(-1)).toBe('transfer.failed')
  })

  test('settles each file once', () => {
    given(...apply(running, [done(0)]))
      .when(failed(0))
      .thenNothing()
  })

  test('copies what was fixed first, also after a later look at the source (S-12)', () => {
    given(...running)
      .when(fix([missing, missing]))
      .thenNothing()
  })
})

describe('who works on a transfer', () => {
  test('is refused once another replica took it up', () => {
    const taken = apply(running, [take('two')])
    given(...taken)
      .when(done(0))
      .thenRefused()
    expect(typesOf(apply(taken, [done(0, 2), done(1, 2)])).at(-1)).toBe('transfer.completed')
  })

  test('finds nothing to do after the end', () => {
    const over = apply(running, [done(0), done(1)])
    for (const command of [take('two'), done(0), fix(both)]) {
      given(...over)
        .when(command)
        .thenNothing()
    }
  })

  test('gives up with an unknown file, never with a silent repeat', () => {
    const events = apply(running, [done(0), { type: 'GiveUpTransfer', reason: 'gave_up', at }])
    expect(typesOf(events).slice(-2)).toEqual(['transfer.file.failed', 'transfer.unknown'])
    expect(stateOf(events)).toMatchObject({ status: 'unknown', reason: 'gave_up' })
  })
})

describe('cancelling a transfer (S-15)', () => {
  test('ends it at once before anything was copied', () => {
    expect(typesOf(after(queue, cancel))).toEqual([
      'transfer.queued',
      'transfer.cancel.requested',
      'transfer.cancelled',
    ])
  })

  test('ends it with the outcome of the file under way, which stays', () => {
    const events = apply(running, [cancel, done(0)])
    expect(typesOf(events).slice(3)).toEqual([
      'transfer.cancel.requested',
      'transfer.file.completed',
      'transfer.cancelled',
    ])
    expect(stateOf(events)?.files.map(({ status }) => status)).toEqual(['completed', 'pending'])
  })

  test('ends it between two files', () => {
    const events = apply(running, [done(0), cancel, { type: 'EndCancelled', attempt: 1, at }])
    expect(typesOf(events).at(-1)).toBe('transfer.cancelled')
    given(...running)
      .when({ type: 'EndCancelled', attempt: 1, at })
      .thenNothing()
  })

  test('says unknown of the file that was under way when the owner was lost', () => {
    const events = apply(running, [cancel, take('two')])
    expect(typesOf(events).slice(-2)).toEqual(['transfer.file.failed', 'transfer.cancelled'])
    expect(stateOf(events)?.files[0]).toMatchObject({ status: 'failed', reason: 'unknown' })
  })

  test('changes nothing after the end, and nothing twice', () => {
    given(...apply(running, [done(0), done(1)]))
      .when(cancel)
      .thenNothing()
    given(...apply(running, [cancel]))
      .when(cancel)
      .thenNothing()
  })

  test('refuses a transfer that comes later than its cancel', () => {
    given(...after(cancel))
      .when(queue)
      .thenRefused()
    given(...after(cancel))
      .when(cancel)
      .thenNothing()
  })
})
