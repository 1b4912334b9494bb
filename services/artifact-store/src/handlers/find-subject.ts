import { notFound, PlatformError } from '@sciencediscovery/kernel'
import { type Context } from '../context.js'
import {
  type FileHistory,
  historyOf,
  type Revision,
  revisionWith,
} from '../domain/provenance/history.js'
import { agentOfWorkspace } from '../domain/provenance/places.js'
import { type ArtifactRow, artifactVersion } from '../projections/artifact-queries.js'
import {
  changesOfFiles,
  type FilePlace,
  workspacesWithPath,
} from '../projections/provenance-queries.js'
import { sessionsOfAgents } from '../projections/session-queries.js'
import { fileIdOf } from '../projections/storable.js'
import { chooseSighting } from './choose-sighting.js'

/** What is asked about. */
export interface SubjectQuestion {
  readonly projectId: string
  readonly sessionId: string
  readonly agentId: string
  readonly path: string
  /** 0: the file as it is, or the newest version of the artifact. */
  readonly version: number
}

/** The file whose history is told, and which of its contents is meant. */
export interface Subject {
  readonly place: FilePlace
  readonly fileId: string
  readonly agentId: string
  readonly sessionId: string
  readonly history: FileHistory
  /** undefined when nothing recorded how the content came to be. */
  readonly revision: Revision | undefined
  readonly artifact: ArtifactRow | undefined
}

/** A version is asked of an artifact; otherwise a file of that path goes before an artifact of that name. */
export async function findSubject(ctx: Context, question: SubjectQuestion): Promise<Subject> {
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
  const history = await historyAt(ctx, place)
  const revision = history.revisions.at(-1)
  return { ...identified(place), ...chosen, place, history, revision, artifact: undefined }
}

async function findArtifact(ctx: Context, question: SubjectQuestion): Promise<Subject | undefined> {
  const { projectId, path, version } = question
  const artifact = await artifactVersion(ctx.db, projectId, { name: path }, version)
  if (!artifact) return undefined
  const place = { workspaceId: artifact.workspace_id, path: artifact.source_path }
  const history = await historyAt(ctx, place)
  const revision = revisionWith(history, artifact.sha256, artifact.declared_at)
  const agentId = agentOfWorkspace(place.workspaceId)
  const sessions = await sessionsOfAgents(ctx.db, [agentId])
  const sessionId = artifact.session_id || (sessions.get(agentId) ?? '')
  return { ...identified(place), agentId, sessionId, place, history, revision, artifact }
}

async function historyAt(ctx: Context, place: FilePlace): Promise<FileHistory> {
  const { fileId } = identified(place)
  const changes = await changesOfFiles(ctx.db, [place])
  return historyOf(changes.get(fileId) ?? [])
}

function identified({ workspaceId, path }: FilePlace): { readonly fileId: string } {
  return { fileId: fileIdOf(workspaceId, path) }
}
