import { invalid } from '@sciencediscovery/kernel'
import {
  type Member as WireMember,
  type ProjectRole as WireRole,
} from '@sciencediscovery/proto-gen/projects/v1/projects'
import { fromWireRole, toWireRole } from '@sciencediscovery/service-kit'
import { type ProjectRole } from '../domain/project/events.js'
import { type Member } from '../domain/project/state.js'

const maxPrincipalChars = 200

export function toWireMember({ principalId, role, addedBy, addedAt }: Member): WireMember {
  return { principalId, role: toWireRole(role), addedBy, addedAt }
}

export function requireRole(wire: WireRole): ProjectRole {
  const role = fromWireRole(wire)
  if (role) return role
  throw invalid('role', 'is missing', 'send VIEWER, MEMBER or ADMIN')
}

export function requirePrincipalId(principalId: string): string {
  if (principalId.trim() === '' || principalId.length > maxPrincipalChars) {
    const remedy = `send the id that their token names, at most ${maxPrincipalChars} characters`
    throw invalid('principal_id', 'is missing or too long', remedy)
  }
  return principalId
}
