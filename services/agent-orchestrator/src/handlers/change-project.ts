import { commandIdOf, streamOfSubject } from '@sciencediscovery/event-store'
import { notFound } from '@sciencediscovery/kernel'
import { type Project } from '@sciencediscovery/proto-gen/projects/v1/projects'
import { projectSubject } from '@sciencediscovery/run-events'
import { type Principal } from '@sciencediscovery/service-kit'
import { type ProjectCommand, type ProjectState } from '../domain/project/decider.js'
import { encodePosition } from '@sciencediscovery/projection'
import { type Application } from './application.js'
import { requireKey } from './limits.js'

export type BornProject = Exclude<ProjectState, { status: 'unborn' }>

export function toWireProject({ projectId, title, createdAt, archivedAt }: BornProject): Project {
  return { projectId, title, createdAt, archivedAt }
}

/** Hands a command to a project and answers with what it is then. */
export async function changeProject(
  app: Application,
  change: {
    readonly rpc: string
    readonly idempotencyKey: string
    readonly projectId: string
    readonly command: ProjectCommand
    readonly requestDigest: string
  },
  principal: Principal,
): Promise<{ project: Project; position: string }> {
  const { rpc, idempotencyKey, projectId, command, requestDigest } = change
  const subject = projectSubject(projectId)
  const commandId = commandIdOf(projectId, principal.id, rpc, requireKey(idempotencyKey))
  const meta = { commandId, causationId: commandId, correlationId: projectId, requestDigest }
  const { folded, commit } = await app.ctx.projects.handle(subject, command, meta)
  if (folded.state.status === 'unborn') throw notFound(`project ${projectId}`)
  const stream = streamOfSubject(subject, app.ctx.store.runShards)
  return {
    project: toWireProject(folded.state),
    position: encodePosition({ stream, sequence: commit?.sequence ?? folded.sequence }),
  }
}
