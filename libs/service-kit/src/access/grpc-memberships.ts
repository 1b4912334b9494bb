import { invalid } from '@sciencediscovery/kernel'
import { ProjectRole as WireRole } from '@sciencediscovery/proto-gen/projects/v1/projects'
import { ProjectServiceService } from '@sciencediscovery/proto-gen/projects/v1/projects_service'
import type { Channel } from '../grpc/channel.js'
import { rpcClient } from '../grpc/rpc-client.js'
import type { ProjectRole } from './access-rule.js'
import type { Memberships } from './guard.js'

const timeoutMs = 5_000

/** Memberships as their owner tells them. Asked each time: who was removed is out at once. */
export function grpcMemberships(orchestrator: Channel): Memberships {
  const projects = rpcClient(ProjectServiceService, orchestrator)
  return {
    async roleIn(projectId, principalId, signal) {
      const { role } = await projects.getMemberRole(
        { projectId, principalId },
        { signal, timeoutMs, idempotent: true },
      )
      return fromWireRole(role)
    },
  }
}

/** The role of the wire; undefined for none. */
export function fromWireRole(role: WireRole): ProjectRole | undefined {
  switch (role) {
    case WireRole.PROJECT_ROLE_VIEWER:
      return 'viewer'
    case WireRole.PROJECT_ROLE_MEMBER:
      return 'member'
    case WireRole.PROJECT_ROLE_ADMIN:
      return 'admin'
    case WireRole.PROJECT_ROLE_UNSPECIFIED:
      return undefined
    default:
      throw invalid('role', 'is unknown', 'send VIEWER, MEMBER or ADMIN')
  }
}

const wireRoles = {
  viewer: WireRole.PROJECT_ROLE_VIEWER,
  member: WireRole.PROJECT_ROLE_MEMBER,
  admin: WireRole.PROJECT_ROLE_ADMIN,
} as const

/** The role as the wire has it. */
export function toWireRole(role: ProjectRole | undefined): WireRole {
  return role === undefined ? WireRole.PROJECT_ROLE_UNSPECIFIED : wireRoles[role]
}
