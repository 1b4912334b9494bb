import { type Context } from '../context.js'
import {
  type FileHistory,
  historyBefore,
  lifeUpTo,
  type Revision,
} from '../domain/provenance/history.js'
import { changesOfFiles, type FilePlace } from '../projections/provenance-queries.js'
import { fileIdOf, fileIdOfSuccessor } from '../projections/storable.js'

/** One file through all its paths. */
export interface Lineage {
  /** The same for every revision of the file, whatever path it has (S-03). */
  readonly fileId: string
  /** Oldest first; the last one is the one that was asked about. */
  readonly revisions: readonly Revision[]
}

/** So many moves of one file are followed; beyond them it counts as begun where it was then. */
const maxMoves = 1_000

/** Follows a file backwards through its moves to where it began. */
export async function findLineage(
  ctx: Context,
  place: FilePlace,
  history: FileHistory,
  revision: Revision | undefined,
): Promise<Lineage> {
  const { workspaceId } = place
  if (!revision) return { fileId: fileIdOf(workspaceId, place.path), revisions: [] }
  let segment = lifeUpTo(history, revision)
  const segments = [segment]
  let { birth } = revision
  let { path } = place
  for (let moves = 0; birth.kind === 'moved' && moves < maxMoves; moves += 1) {
    const source = { workspaceId, path: birth.fromPath }
    const changes = await changesOfFiles(ctx.db, [source])
    const facts = changes.get(fileIdOf(workspaceId, source.path)) ?? []
    const before = historyBefore(facts, birth.effectId)
    const last = before.revisions.at(-1)
    if (!last) break
    segment = lifeUpTo(before, last)
    segments.push(segment)
    ;({ birth } = last)
    ;({ path } = source)
  }
  const fileId =
    birth.kind === 'successor' ? fileIdOfSuccessor(birth.revisionId) : fileIdOf(workspaceId, path)
  return { fileId, revisions: joined(segments.toReversed()) }
}

/** What a move made comes after what was moved. */
function joined(segments: readonly (readonly Revision[])[]): readonly Revision[] {
  const revisions: Revision[] = []
  for (const revision of segments.flat()) {
    const parentRevisionId = revision.parentRevisionId ?? revisions.at(-1)?.id ?? null
    revisions.push({ ...revision, parentRevisionId })
  }
  return revisions
}
