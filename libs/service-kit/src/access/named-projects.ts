import { PlatformError, invalid } from '@sciencediscovery/kernel'
import type { AccessRule, IdKind, ProjectField } from './access-rule.js'

type ProjectRule = Extract<AccessRule, { readonly in: unknown }>

/** Every project that a request names, directly or by an id; `invalid` when it must name one and does not. */
export function projectsNamedBy(
  rule: ProjectRule,
  request: unknown,
  projectOf: ((kind: IdKind, id: string) => string) | undefined,
): ReadonlySet<string> {
  const projects = new Set<string>()
  for (const field of rule.in) {
    const id = textAt(request, field)
    if (id !== '') projects.add(projectIn(field.kind, id, projectOf))
  }
  const [first] = rule.in
  if (projects.size === 0 && rule.orOwn !== true && first) {
    throw invalid(first.path, 'is missing', 'name the project that the call is about')
  }
  return projects
}

function projectIn(
  kind: IdKind,
  id: string,
  projectOf: ((kind: IdKind, id: string) => string) | undefined,
): string {
  if (kind === 'project') return id
  if (projectOf) return projectOf(kind, id)
  throw new PlatformError('bug', `this server cannot tell the project of a ${kind}`)
}

/** The text at a path like `actor.project_id`; empty when there is none. */
function textAt(request: unknown, { path }: ProjectField): string {
  const value = path.split('.').reduce(propertyOf, request)
  return typeof value === 'string' ? value : ''
}

function propertyOf(value: unknown, field: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  const name = field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.entries(value).find(([key]) => key === name)?.[1]
}
