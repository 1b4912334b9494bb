import { type FileChange } from '@sciencediscovery/run-events'

/** A file that went from one path of its workspace to another. */
export interface Move {
  readonly fromPath: string
  readonly toPath: string
  readonly sha256: string
}

/** All empty files are equal: an empty one that came proves nothing about an empty one that went. */
const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/**
 * The files that one execution moved: it took one path away and made one path of the same content, and no other
 * path of its change had or got that content. With two of them it cannot be told which one went where, and no
 * identity is guessed: both new paths begin files of their own. A file that was put over another one is an edit of
 * that other one. Equal files that the change does not touch stayed where they are, so they are no candidates.
 */
export function movesOf(changes: readonly FileChange[]): readonly Move[] {
  const had = byContent(changes, ({ previousSha256 }) => previousSha256)
  const got = byContent(changes, ({ sha256 }) => sha256)
  return [...got].flatMap(([sha256, makers]) => {
    const [made, another] = makers
    const [gone, further] = had.get(sha256) ?? []
    if (!made || another || !gone || further) return []
    if (made.change !== 'created' || gone.change !== 'deleted') return []
    return [{ fromPath: gone.path, toPath: made.path, sha256 }]
  })
}

function byContent(
  changes: readonly FileChange[],
  contentOf: (change: FileChange) => string | undefined,
): ReadonlyMap<string, readonly FileChange[]> {
  const found = new Map<string, FileChange[]>()
  for (const change of changes) {
    const content = contentOf(change)
    if (content === undefined || content === emptySha256) continue
    const same = found.get(content)
    if (same) same.push(change)
    else found.set(content, [change])
  }
  return found
}
