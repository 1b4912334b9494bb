import type { Metadata } from '@grpc/grpc-js'
import { PlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'
import type { Principal } from './call.js'
import { headerOf } from './header.js'

/** Names the person that a service calls for. Believed from services alone. */
const header = 'x-sciencediscovery-principal'

const PrincipalSchema = z.strictObject({ id: z.string().min(1), roles: z.array(z.string()) })

/** Says for whom a call is made. */
export function setIdentity(metadata: Metadata, { id, roles }: Principal): void {
  metadata.set(header, Buffer.from(JSON.stringify({ id, roles })).toString('base64url'))
}

/** Who the call counts as: the person that a service names, or the holder of the token. */
export function principalFor(holder: Principal, metadata: Metadata): Principal {
  const named = headerOf(metadata, header)
  if (named === undefined) return holder
  if (!holder.roles.includes('service')) {
    throw new PlatformError('forbidden', `${holder.id} may not call in the name of others`, {
      reason: 'identity_not_yours',
      field: header,
      remedy: `leave the header ${header} out`,
    })
  }
  const { id, roles } = parseIdentity(named)
  // A person is never a service, whatever the header says.
  return { id, roles: roles.filter((role) => role !== 'service') }
}

function parseIdentity(text: string): Principal {
  try {
    return PrincipalSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
  } catch (cause) {
    throw new PlatformError('invalid', `${header}: names nobody`, { cause, field: header })
  }
}
