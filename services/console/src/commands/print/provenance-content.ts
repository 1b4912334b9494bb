import { createHash } from 'node:crypto'
import { isPlatformError, PlatformError } from '@sciencediscovery/kernel'
import type { Clients } from '../../context.js'
import type { GraphFile, ProvenanceGraph } from './provenance-graph.js'

type Pieces = AsyncIterable<{ readonly content: Uint8Array }>

/** Where contents are read: through a revision or an artifact version of the project, never by digest. */
export interface ContentSource {
  readonly clients: Pick<Clients, 'provenance' | 'artifacts'>
  readonly projectId: string
  readonly versions: ProvenanceGraph['versions']
  readonly signal: AbortSignal
}

/** The bytes of a file, checked against its digest as they pass; undefined when nobody keeps them. */
export async function contentOf(
  source: ContentSource,
  file: GraphFile,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  for (const open of pointersTo(source, file)) {
    const pieces = await opened(open())
    if (pieces) return checked(pieces, file)
  }
  return undefined
}

function* pointersTo(
  { clients, projectId, versions, signal }: ContentSource,
  { revisionId, sha256 }: GraphFile,
): Generator<() => Pieces> {
  if (/^rev-[0-9a-f]{32}$/.test(revisionId))
    yield () => clients.provenance.downloadRevision({ projectId, revisionId }, { signal })
  const same = versions.find((version) => version.sha256 === sha256)
  if (same) {
    const { id: artifactId, version } = same
    const request = { projectId, artifactId, name: '', version, minPosition: '' }
    yield () => clients.artifacts.downloadArtifact(request, { signal })
  }
}

/** What is lost says so before its first byte. */
async function opened(pieces: Pieces): Promise<AsyncGenerator<Uint8Array> | undefined> {
  const iterator = pieces[Symbol.asyncIterator]()
  try {
    const first = await iterator.next()
    return rest(first, iterator)
  } catch (error) {
    if (isPlatformError(error) && error.code === 'not_found') return undefined
    throw error
  }
}

async function* rest(
  first: IteratorResult<{ readonly content: Uint8Array }>,
  iterator: AsyncIterator<{ readonly content: Uint8Array }>,
): AsyncGenerator<Uint8Array> {
  for (let next = first; next.done !== true; next = await iterator.next()) yield next.value.content
}

async function* checked(
  content: AsyncIterable<Uint8Array>,
  { path, sha256 }: GraphFile,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const piece of content) {
    hash.update(piece)
    yield piece
  }
  if (hash.digest('hex') === sha256) return
  throw new PlatformError(
    'unavailable',
    `the content of ${JSON.stringify(path)} is not the recorded one`,
    {
      remedy: 'ask again; when it stays so, run scid doctor',
    },
  )
}
