import { commandIdOf, streamOfSubject } from '@sciencediscovery/event-store'
import { notFound } from '@sciencediscovery/kernel'
import { encodePosition } from '@sciencediscovery/projection'
import { type Project } from '@sciencediscovery/proto-gen/projects/v1/projects'
import { projectSubject } from '@sciencediscovery/run-events'
import { type Principal } from '@sciencediscovery/service-kit'
import { type ProjectCommand } from '../domain/project/decider.js'
import { type BornProject } from '../domain/project/state.js'
import { type Application } from './application.js'
import { requireKey } from './limits.js'

/** An order to a project, keyed so that asking twice does it once. */
export interface ProjectChange {
  readonly rpc: string
  readonly idempotencyKey: string
  readonly projectId: string
  readonly command: ProjectCommand
  readonly requestDigest: string
}

export function toWireProject({ projectId, title, createdAt, archivedAt }: BornProject): Project {
  return { projectId, title, createdAt, archivedAt }
}

/** Hands a command to a project and answers with what it is then, as the wire has it. */
export async function changeProject(
  app: Application,
  change: ProjectChange,
  principal: Principal,
): Promise<{ project: Project; position: string }> {
  const { project, position } = await commandProject(app, change, principal)
  return { project: toWireProject(project), position }
}

/** Hands a command to a project and answers with its state after that. */
export async function commandProject(
  app: Application,
  change: ProjectChange,
  principal: Principal,
): Promise<{ readonly project: BornProject; readonly position: string }> {
  const { rpc, idempotencyKey, projectId, command, requestDigest } = change
  const subject = projectSubject(projectId)
  const commandId = commandIdOf(projectId, principal.id, rpc, requireKey(idempotencyKey))
  const meta = { commandId, causationId: commandId, correlationId: projectId, requestDigest }
  const { folded, commit } = await app.ctx.projects.handle(subject, command, meta)
  if (folded.state.status === 'unborn') throw notFound(`project ${projectId}`)
  const stream = streamOfSubject(subject, app.ctx.store.runShards)
  return {
    project: folded.state,
    position: encodePosition({ stream, sequence: commit?.sequence ?? folded.sequence }),
  }
}
