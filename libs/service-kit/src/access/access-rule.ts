import { PlatformError } from '@sciencediscovery/kernel'
import type { ServiceDefinition } from '../grpc/method.js'

/** What a member of a project may do: look, work, or run the project. Each includes the one before. */
export const projectRoles = ['viewer', 'member', 'admin'] as const
export type ProjectRole = (typeof projectRoles)[number]

/** What an id names; a project is found in each of them. */
export type IdKind = 'project' | 'session' | 'run' | 'workspace' | 'execution'

/** A field of the request that names a project or something in one: `actor.project_id`. */
export interface ProjectField {
  readonly path: string
  readonly kind: IdKind
}

/** Who may make a call. */
export type AccessRule =
  /** The platform's own services, and nobody else. */
  | { readonly by: 'service' }
  /** The owner of the installation. */
  | { readonly by: 'owner' }
  /** Whoever has a valid token: the call names no project, or the handler answers for the caller's projects alone. */
  | { readonly by: 'person' }
  /** Who has this role in every project that the request names. `orOwn`: one that names none is answered for the caller's projects. */
  | {
      readonly by: ProjectRole
      readonly in: readonly ProjectField[]
      readonly orOwn?: boolean
    }

/** The rule of each call by its full path. */
export type AccessTable = ReadonlyMap<string, AccessRule>

/** The rows of one service: the compiler asks for each of its methods. */
export function accessRows<Definition extends ServiceDefinition>(
  definition: Definition,
  rules: { readonly [Name in keyof Definition]: AccessRule },
): readonly (readonly [string, AccessRule])[]
export function accessRows(
  definition: ServiceDefinition,
  rules: Readonly<Record<string, AccessRule>>,
): readonly (readonly [string, AccessRule])[] {
  return Object.entries(definition).map(([name, { path }]) => {
    const rule = rules[name]
    if (!rule) throw noRule(path)
    return [path, rule] as const
  })
}

/** A method that nobody decided about is not served. */
export function noRule(path: string): PlatformError {
  return new PlatformError('bug', `${path} has no row in the table of access`, {
    remedy: 'say in access-table.ts who may call it',
  })
}

/** Whether a role is at least the other. */
export function isAtLeast(role: ProjectRole, needed: ProjectRole): boolean {
  return projectRoles.indexOf(role) >= projectRoles.indexOf(needed)
}
