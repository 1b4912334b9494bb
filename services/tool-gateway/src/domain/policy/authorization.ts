import { PlatformError } from '@sciencediscovery/kernel'

/** The class of what a call needs, or of what was allowed. */
export interface PermissionClass {
  readonly action: string
  readonly resource: string
}

/** Whether the call still needs a decision; refuses an authorization that was given for something else. */
export function needsDecision(
  need: PermissionClass | undefined,
  allowed: PermissionClass | undefined,
): boolean {
  if (need === undefined) return false
  if (allowed === undefined) return true
  if (allowed.action === need.action && allowed.resource === need.resource) return false
  throw new PlatformError(
    'refused',
    `the authorization is for ${allowed.action}/${allowed.resource}, the call needs ${need.action}/${need.resource}`,
    {
      reason: 'authorization_mismatch',
      field: 'authorization',
      remedy: `ask for ${need.action}/${need.resource}`,
    },
  )
}
