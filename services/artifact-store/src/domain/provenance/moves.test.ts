import { type FileChange } from '@sciencediscovery/run-events'
import { describe, expect, test } from 'vitest'
import { movesOf } from './moves.js'

const sha = (letter: string): string => letter.repeat(64)
const gone = (path: string, content: string): FileChange => ({
  ...{ path, change: 'deleted' },
  previousSha256: sha(content),
})
const made = (path: string, content: string): FileChange => ({
  ...{ path, change: 'created' },
  sha256: sha(content),
})
const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

describe('moves in one change (S-03)', () => {
  test('what went and came with the same content was moved, each file for itself', () => {
    const changes = [gone('a', 'a'), made('x/b', 'b'), made('x/a', 'a'), gone('b', 'b')]
    expect(movesOf(changes)).toEqual([
      { fromPath: 'b', toPath: 'x/b', sha256: sha('b') },
      { fromPath: 'a', toPath: 'x/a', sha256: sha('a') },
    ])
  })

  test.each([
    ['two equal files went, one came', [gone('a', 'a'), gone('b', 'a'), made('c', 'a')]],
    ['one went, two equal ones came', [gone('a', 'a'), made('b', 'a'), made('c', 'a')]],
    [
      'an equal file was rewritten meanwhile',
      [gone('a', 'a'), changed('b', 'a', 'x'), made('c', 'a')],
    ],
    ['it was put over a file that was there', [gone('a', 'a'), changed('b', 'x', 'a')]],
    ['the content came out of a file that stayed', [changed('a', 'a', 'x'), made('b', 'a')]],
    ['the contents differ', [gone('a', 'a'), made('b', 'b')]],
  ])('no identity is guessed when %s', (_case, changes) => {
    expect(movesOf(changes)).toEqual([])
  })

  test('empty files are all equal: none is said to have moved', () => {
    const [before, after] = [gone('a', 'a'), made('b', 'a')]
    expect(
      movesOf([
        { ...before, previousSha256: empty },
        { ...after, sha256: empty },
      ]),
    ).toEqual([])
  })
})

function changed(path: string, before: string, content: string): FileChange {
  return { ...made(path, content), change: 'modified', previousSha256: sha(before) }
}
