import { invalid, notFound, PlatformError } from '@sciencediscovery/kernel'
import { type Context } from '../context.js'
import { type FileHistory, type Revision, revisionWith } from '../domain/provenance/history.js'
import { agentOfWorkspace } from '../domain/provenance/places.js'
import { type ArtifactRow, artifactVersion } from '../projections/artifact-queries.js'
import { type FilePlace, workspacesWithPath } from '../projections/provenance-queries.js'
import { sessionsOfAgents } from '../projections/session-queries.js'
import { chooseSighting } from './choose-sighting.js'
import { findLineage } from './find-lineage.js'
import { historiesAt } from './judged-activities.js'

/** What is asked about. */
export interface SubjectQuestion {
  readonly projectId: string
  readonly sessionId: string
  readonly agentId: string
  readonly path: string
  /** 0: the file as it is, or the newest version of the artifact. */
  readonly version: number
  /** A content that the file once had; empty means the newest. */
  readonly sha256: string
}

/** The file whose history is told, and which of its contents is meant. */
export interface Subject {
  readonly place: FilePlace
  readonly fileId: string
  /** The file's revisions up to the one that is meant, oldest first, whatever their paths. */
  readonly revisions: readonly Revision[]
  readonly agentId: string
  readonly sessionId: string
  readonly history: FileHistory
  /** undefined when nothing recorded how the content came to be. */
  readonly revision: Revision | undefined
  readonly artifact: ArtifactRow | undefined
}

/** A version is asked of an artifact; otherwise a file of that path goes before an artifact of that name. */
export async function findSubject(ctx: Context, question: SubjectQuestion): Promise<Subject> {
  if (question.version > 0 && question.sha256 !== '')
    throw invalid('sha256', 'and version are both given', 'send one of them')
  const file = question.version === 0 ? await findFile(ctx, question) : undefined
  const subject = file ?? (await findArtifact(ctx, question))
  if (subject) return subject
  throw await whatIsMissing(ctx, question)
}

async function whatIsMissing(
  ctx: Context,
  { projectId, path, version }: SubjectQuestion,
): Promise<PlatformError> {
  const label = JSON.stringify(path)
  if (version === 0) return notFound(`file or artifact ${label}`)
  const newest = await artifactVersion(ctx.db, projectId, { name: path }, 0)
  if (!newest) return notFound(`artifact ${label}`)
  return new PlatformError('not_found', `artifact ${label} has no version ${version}`, {
    field: 'version',
    remedy: `send 1 to ${newest.version}`,
  })
}

async function findFile(ctx: Context, question: SubjectQuestion): Promise<Subject | undefined> {
  const sightings = await workspacesWithPath(ctx.db, question.projectId, question.path)
  const chosen = await chooseSighting(ctx.db, sightings, question)
  if (!chosen) return undefined
  const place = { workspaceId: chosen.workspaceId, path: question.path }
  const history = (await historiesAt(ctx, [place]))(place)
  const revision = revisionAsked(history, question)
  const lineage = await findLineage(ctx, place, history, revision)
  return { ...lineage, ...chosen, place, history, revision, artifact: undefined }
}

/** The newest revision, or the newest one of the content that was asked about. */
function revisionAsked(
  { revisions }: FileHistory,
  { sha256, path }: SubjectQuestion,
): Revision | undefined {
  if (sha256 === '') return revisions.at(-1)
  const found = revisions.findLast((revision) => revision.sha256 === sha256)
  if (found) return found
  throw new PlatformError('not_found', `${JSON.stringify(path)} never had the content ${sha256}`, {
    field: 'sha256',
    remedy: 'send the sha256 of one of its revisions, or leave it out for the newest',
  })
}

async function findArtifact(ctx: Context, question: SubjectQuestion): Promise<Subject | undefined> {
  const { projectId, path, version } = question
  const artifact = await artifactVersion(ctx.db, projectId, { name: path }, version)
  if (!artifact) return undefined
  const place = { workspaceId: artifact.workspace_id, path: artifact.source_path }
  const history = (await historiesAt(ctx, [place]))(place)
  const revision = revisionWith(history, artifact.sha256, artifact.declared_at)
  const lineage = await findLineage(ctx, place, history, revision)
  const agentId = agentOfWorkspace(place.workspaceId)
  const sessions = await sessionsOfAgents(ctx.db, [agentId])
  const sessionId = artifact.session_id || (sessions.get(agentId) ?? '')
  return { ...lineage, agentId, sessionId, place, history, revision, artifact }
}
