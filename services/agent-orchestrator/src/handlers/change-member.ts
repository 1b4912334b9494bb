import { PlatformError } from '@sciencediscovery/kernel'
import { type Member as WireMember } from '@sciencediscovery/proto-gen/projects/v1/projects'
import { type Call } from '@sciencediscovery/service-kit'
import { type MemberCommand } from '../domain/project/members.js'
import { memberOf } from '../domain/project/state.js'
import { type Application } from './application.js'
import { commandProject } from './change-project.js'
import { requireProjectId } from './limits.js'
import { toWireMember } from './member-wire.js'

/** An order about one member. */
export interface MemberChange {
  readonly rpc: string
  readonly idempotencyKey: string
  readonly projectId: string
  readonly command: MemberCommand
  readonly requestDigest: string
}

/** Hands it to the project; answers with the member after that. */
export async function changeMember(
  app: Application,
  change: MemberChange,
  { principal }: Call,
): Promise<{ readonly member: WireMember; readonly position: string }> {
  const projectId = requireProjectId(change.projectId)
  const { project, position } = await commandProject(app, { ...change, projectId }, principal)
  const member = memberOf(project, change.command.principalId)
  if (!member) {
    throw new PlatformError('conflict', `${change.command.principalId} was removed meanwhile`)
  }
  return { member: toWireMember(member), position }
}
