import { PlatformError } from '@sciencediscovery/kernel'
import type { Call, Principal } from '../grpc/call.js'
import { isAtLeast, noRule } from './access-rule.js'
import type { AccessRule, AccessTable, IdKind, ProjectRole } from './access-rule.js'
import { projectsNamedBy } from './named-projects.js'

/** Says which role somebody has in a project; undefined for none, and for a project that is not there. */
export interface Memberships {
  roleIn(
    projectId: string,
    principalId: string,
    signal: AbortSignal,
  ): Promise<ProjectRole | undefined>
}

/** What a server decides by. */
export interface AccessOptions {
  readonly table: AccessTable
  /** Without it nobody but services and the owner gets at what belongs to a project. */
  readonly memberships?: Memberships | undefined
  /** The project in an id; `not_found` for what is none. */
  readonly projectOf?: ((kind: IdKind, id: string) => string) | undefined
}

/** Decides about calls. */
export interface Guard {
  /** Refuses a method that has no rule. */
  requireRule(path: string): void
  /** Before a body is read: refuses whom no request would help. */
  atDoor(principal: Principal, path: string): void
  /** With the request at hand: refuses who lacks the role in a project that it names. */
  check(request: unknown, call: Pick<Call, 'method' | 'principal' | 'signal'>): Promise<void>
}

/** Calls among replicas of a service have their own paths: they were decided about where they came in. */
const amongReplicas = /^\/forwarded\./

export function createGuard(options: AccessOptions): Guard {
  const ruleOf = (path: string): AccessRule | undefined =>
    amongReplicas.test(path) ? { by: 'service' } : options.table.get(path)
  return {
    requireRule(path) {
      if (!ruleOf(path)) throw noRule(path)
    },
    atDoor(principal, path) {
      const rule = ruleOf(path)
      if (rule) checkAtDoor(rule, principal, path)
    },
    async check(request, { method, principal, signal }) {
      const rule = ruleOf(method)
      if (!rule) throw noRule(method)
      checkAtDoor(rule, principal, method)
      if (!('in' in rule) || isOwner(principal)) return
      const projects = projectsNamedBy(rule, request, options.projectOf)
      for (const projectId of projects) {
        const role = await options.memberships?.roleIn(projectId, principal.id, signal)
        if (role === undefined || !isAtLeast(role, rule.by)) {
          throw notEnough({ method, principal, projectId, needed: rule.by }, role)
        }
      }
    },
  }
}

/** Whether the caller is one of the platform's own services. */
export function isService(principal: Principal): boolean {
  return principal.roles.includes('service')
}

/** Whether no project is closed to the caller. */
export function isOwner(principal: Principal): boolean {
  return isService(principal) || principal.roles.includes('owner')
}

function checkAtDoor(rule: AccessRule, principal: Principal, path: string): void {
  if (rule.by === 'service' && !isService(principal)) {
    throw forbidden(`${nameOf(path)} is for the platform's own services`, {
      reason: 'service_only',
      remedy: 'use the calls for people: start a run and let its agent do it',
    })
  }
  if (rule.by === 'owner' && !isOwner(principal)) {
    throw forbidden(`${nameOf(path)} is for the owner of the installation`, {
      reason: 'owner_only',
      remedy: 'ask whoever runs the installation',
    })
  }
}

interface Lack {
  readonly method: string
  readonly principal: Principal
  readonly projectId: string
  readonly needed: ProjectRole
}

/** The same for a project that is not there: who may not look is not told what there is. */
export function notEnough(
  { method, principal, projectId, needed }: Lack,
  role: ProjectRole | undefined,
): PlatformError {
  const is = role === undefined ? 'is no member' : `is only ${role}`
  return forbidden(`${nameOf(method)}: ${principal.id} ${is} of project ${projectId}`, {
    reason: role === undefined ? 'not_a_member' : 'role_too_low',
    remedy: `ask an admin of the project for the role ${needed}`,
  })
}

function forbidden(
  message: string,
  details: { readonly reason: string; readonly remedy: string },
): PlatformError {
  return new PlatformError('forbidden', message, details)
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
