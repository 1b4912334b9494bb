import { type PermissionRequest } from '@sciencediscovery/proto-gen/runs/v1/runs'
import { type Permission } from '../domain/session/state.js'

export function toWirePermission(permission: Permission): PermissionRequest {
  const { requestId, runId, callId, action, resource, summary, state, requestedAt } = permission
  return { requestId, runId, callId, action, resource, summary, state, requestedAt }
}
