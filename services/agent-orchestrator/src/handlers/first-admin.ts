import { type Principal, isService } from '@sciencediscovery/service-kit'

/** A person who creates a project runs it; a service does not. */
export function firstAdmin(principal: Principal): { readonly admin?: string } {
  return isService(principal) ? {} : { admin: principal.id }
}
