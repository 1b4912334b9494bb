import { type Principal, isOwner } from '@sciencediscovery/service-kit'
import { type ForWhom } from './views.js'

/** Narrows a list that names nothing to the caller's projects; what it names was checked before. */
export function forWhom(principal: Principal, ...named: readonly string[]): ForWhom {
  const unbound = isOwner(principal) || named.some((id) => id !== '')
  return { memberId: unbound ? undefined : principal.id }
}
