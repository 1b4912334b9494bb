import {
  type Commit,
  type EventStore,
  type StoredCommit,
  commandIdOf,
  commitIdOf,
} from '@sciencediscovery/event-store'

/** What a commit follows. */
export interface Predecessor {
  readonly version: number
  readonly position: number
  readonly commitId: string | null
}

const nothing: Predecessor = { version: 0, position: 0, commitId: null }

/** A commit of one counter event, as the command `key` would make it. */
export function commitOf(
  subject: string,
  key: string,
  after: Predecessor = nothing,
  amount = 1,
): Commit {
  const commandId = commandIdOf(subject, key)
  return {
    commitId: commitIdOf(subject, commandId),
    subject,
    version: after.version + 1,
    previousId: after.commitId,
    firstPosition: after.position + 1,
    commandId,
    causationId: 'request-1',
    correlationId: 'run-1',
    writer: 'replica-1',
    recordedAt: '2026-01-01T00:00:00.000Z',
    events: [{ type: 'counter.added', v: 1, data: { amount } }],
  }
}

/** What comes after the stored commit. */
export function after({ commit }: StoredCommit): Predecessor {
  const position = commit.firstPosition + commit.events.length - 1
  return { version: commit.version, position, commitId: commit.commitId }
}

/** Appends `count` commits to the subject, one after the other, and gives them. */
export async function appendRow(
  store: EventStore,
  subject: string,
  count: number,
): Promise<StoredCommit[]> {
  const row: StoredCommit[] = []
  let last = await store.last(subject)
  for (let index = 0; index < count; index += 1) {
    const place = last ? after(last) : nothing
    last = await store.append(
      commitOf(subject, `c-${place.version + 1}`, place),
      last?.sequence ?? 0,
    )
    row.push(last)
  }
  return row
}

/** Everything the sequence gives. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** The code of the platform error it fails with, or `done`. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'done',
    (error: unknown) =>
      error instanceof Error && 'code' in error ? String(error.code) : String(error),
  )
}
