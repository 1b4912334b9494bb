import { describe, expect, test } from 'vitest'
import { type FileChangeFact, historyBefore, historyOf, lifeUpTo, revisionWith } from './history.js'

const sha = (letter: string): string => letter.repeat(64)

function fact(id: string, facts: Partial<FileChangeFact>): FileChangeFact {
  return {
    revisionId: `rev-${id}`,
    effectId: `eff-${id}`,
    workspaceId: 'w',
    path: 'scripts/qc.py',
    change: 'modified',
    sha256: sha(id),
    previousSha256: null,
    movedFrom: null,
    movedTo: null,
    origin: 'agent',
    callId: `call-${id}`,
    runId: 'r',
    executionId: '',
    at: '2026-01-01T00:00:00.000Z',
    order: null,
    event: { stream: 'runs/r', position: 1 },
    ...facts,
  }
}

const a = fact('a', { change: 'created', order: 3, at: '2026-01-01T00:00:03Z' })
const b = fact('b', { previousSha256: sha('a'), order: 5, at: '2026-01-01T00:00:02Z' })
const c = fact('c', { previousSha256: sha('b'), order: null, at: '2026-01-01T00:00:01Z' })

describe('file history (S-03)', () => {
  test('the workspace order counts, not clocks nor the order of reading', () => {
    const ids = (facts: FileChangeFact[]) => historyOf(facts).revisions.map(({ id }) => id)
    expect(ids([a, b, c])).toEqual(['rev-a', 'rev-b', 'rev-c'])
    expect(ids([c, b, a])).toEqual(['rev-a', 'rev-b', 'rev-c'])
  })

  test('each revision names the one before it', () => {
    const parents = historyOf([b, a]).revisions.map(({ parentRevisionId }) => parentRevisionId)
    expect(parents).toEqual([null, 'rev-a'])
  })

  test('without workspace order the times count', () => {
    const early = { ...b, order: null, previousSha256: null }
    expect(historyOf([{ ...a, order: null }, early]).revisions.at(-1)?.id).toBe('rev-a')
  })

  test('a content that nobody recorded becomes a revision of unknown origin in between', () => {
    const odd = { ...b, previousSha256: sha('x') }
    const { revisions } = historyOf([a, odd])
    expect(revisions.map(({ origin }) => origin)).toEqual(['agent', 'unknown', 'agent'])
    expect(revisions[1]).toMatchObject({ sha256: sha('x'), callId: '', event: null })
    expect(revisions[2]).toMatchObject({ parentRevisionId: revisions[1]?.id })
  })

  test('a deletion is said and makes no revision', () => {
    const gone = fact('d', { change: 'deleted', sha256: null, previousSha256: sha('a'), order: 9 })
    const { revisions, deleted } = historyOf([a, gone])
    expect(deleted).toBe(true)
    expect(revisions).toHaveLength(1)
  })

  test('a file made again after a deletion goes on in the same history', () => {
    const gone = fact('d', { change: 'deleted', sha256: null, previousSha256: sha('a'), order: 4 })
    const again = fact('e', { change: 'created', order: 5 })
    const history = historyOf([again, gone, a])
    expect(history.deleted).toBe(false)
    expect(history.revisions.map(({ id }) => id)).toEqual(['rev-a', 'rev-e'])
  })

  test('of equal contents the last one before the reader began is meant', () => {
    const back = fact('z', {
      sha256: sha('a'),
      previousSha256: sha('b'),
      order: 7,
      at: '2026-01-01T00:00:09Z',
    })
    const history = historyOf([a, b, back])
    expect(revisionWith(history, sha('a'), '2026-01-01T00:00:05Z')?.id).toBe('rev-a')
    expect(revisionWith(history, sha('a'), '2026-01-01T00:00:09Z')?.id).toBe('rev-z')
    expect(revisionWith(history, sha('b'), '2026-01-01T00:00:00Z')?.id).toBe('rev-b')
    expect(revisionWith(history, sha('q'), '2026-01-01T00:00:09Z')).toBeUndefined()
  })
})

describe('several files at one path (S-03)', () => {
  const gone = { change: 'deleted', sha256: null } as const
  const away = fact('m', { ...gone, previousSha256: sha('a'), movedTo: 'b', order: 5 })
  const next = fact('n', { change: 'created', order: 7 })
  const came = fact('c', { change: 'created', movedFrom: 'z', order: 9 })

  test('what is made after the file was moved away is another file', () => {
    const history = historyOf([next, away, a])
    expect(history.revisions.map(({ birth }) => birth.kind)).toEqual(['path', 'successor'])
    expect(history.revisions[1]?.parentRevisionId).toBeNull()
    expect(history.movedBy.get('eff-m')).toBe('rev-a')
    expect(historyOf([a, away]).movedTo).toBe('b')
  })

  test('what is made again after a mere deletion is the same file', () => {
    const deleted = fact('d', { ...gone, previousSha256: sha('a'), order: 5 })
    const { revisions } = historyOf([a, deleted, next])
    expect(revisions.map(({ birth }) => birth.kind)).toEqual(['path', 'path'])
    expect(revisions[1]?.parentRevisionId).toBe('rev-a')
  })

  test('a file that was moved in is told apart from the one before it', () => {
    const history = historyOf([a, away, came])
    const last = history.revisions.at(-1)
    expect(last?.birth).toMatchObject({ kind: 'moved', fromPath: 'z', effectId: 'eff-c' })
    expect(last && lifeUpTo(history, last).map(({ id }) => id)).toEqual(['rev-c'])
  })

  test('a content that nobody recorded is what was moved away', () => {
    const odd = { ...away, previousSha256: sha('x') }
    expect(historyBefore([a, odd, next], 'eff-m').revisions.at(-1)?.origin).toBe('unknown')
    expect(historyBefore([a, next], 'eff-m').revisions).toEqual([])
  })

  test('each revision but the last ends when the next change comes', () => {
    const { endedAt } = historyOf([a, b])
    expect([endedAt.get('rev-a'), endedAt.get('rev-b')]).toEqual([b.at, undefined])
  })
})
