import { invalid } from '@sciencediscovery/kernel'
import { z } from 'zod'

const PositionSchema = z.tuple([z.string(), z.number().int().nonnegative()])

/** The opaque value that a mutation returns and a query takes as `min_position`. */
export function positionToken(stream: string, sequence: number): string {
  return Buffer.from(JSON.stringify([stream, sequence])).toString('base64url')
}
