import {
  commandIdOf,
  commitIdOf,
  type EventStore,
  type RecordedEvent,
  type StoredCommit,
} from '@sciencediscovery/event-store'

/** Appends one commit with these events, as the owner of the subject would. */
export async function appendEvents(
  store: EventStore,
  subject: string,
  events: readonly RecordedEvent[],
): Promise<StoredCommit> {
  const last = await store.last(subject)
  const version = (last?.commit.version ?? 0) + 1
  const commandId = commandIdOf(subject, version)
  const before = last ? last.commit.firstPosition + last.commit.events.length : 1
  const commit = {
    commitId: commitIdOf(subject, commandId),
    subject,
    version,
    previousId: last?.commit.commitId ?? null,
    firstPosition: before,
    commandId,
    causationId: 'test',
    correlationId: 'test',
    writer: 'owner',
    recordedAt: '2026-01-01T00:00:00.000Z',
    events,
  }
  return store.append(commit, last?.sequence ?? 0)
}
