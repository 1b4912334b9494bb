import { PlatformError } from '@sciencediscovery/kernel'
import { type Channel } from '@sciencediscovery/service-kit'
import { type OwnerProbe } from '../context.js'

/** HealthCheckResponse with status SERVING, as it stands on the wire. */
const serving = Buffer.from([0x08, 0x01])

/** Asks the health service of an owner. */
export function createOwnerProbe(name: string, channel: Channel): OwnerProbe {
  return {
    name,
    address: channel.address,
    check: async (signal) => {
      const path = '/grpc.health.v1.Health/Check'
      const answer = await channel.unary(path, Buffer.alloc(0), { signal })
      if (!answer.equals(serving)) {
        throw new PlatformError('unavailable', 'answers, but is not serving')
      }
    },
  }
}
