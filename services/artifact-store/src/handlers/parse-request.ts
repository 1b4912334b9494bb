import { PlatformError, invalid } from '@sciencediscovery/kernel'
import { isProjectId } from '@sciencediscovery/run-events'
import { z } from 'zod'
import { parseArtifactName } from '../domain/artifact/name.js'

/** The request as its schema has it; the first thing that is wrong is named as the caller spells it. */
export function parseRequest<Schema extends z.ZodType>(
  schema: Schema,
  request: unknown,
): z.output<Schema> {
  const result = schema.safeParse(request)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  throw new PlatformError('invalid', `${fieldOf(issue)}: ${issue?.message ?? 'is malformed'}`, {
    field: fieldOf(issue),
    remedy: 'correct the field and send it again',
  })
}

/** A project by name. */
export const ProjectSchema = z.string().refine(isProjectId, 'is not the id of a project')

/** A key that names what is done: asking twice does it once. */
export const KeySchema = z.string().min(1, 'is missing').max(512, 'is longer than 512 characters')

/** Content in the blob store. */
export const DigestSchema = z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in lower-case hex')

/** A count or size as the wire has it. */
export const CountSchema = z
  .bigint()
  .nonnegative('is negative')
  .max(2n ** 53n - 1n, 'is too large')
  .transform(Number)

/** An artifact name under the field it came in; empty stays empty. */
export function optionalName(text: string, field: string): string | undefined {
  return text === '' ? undefined : parseArtifactName(text, field)
}

/** A page size within its bounds; 0 means the largest. */
export function pageSizeOf(asked: number, largest: number, field: string): number {
  if (asked === 0) return largest
  if (asked >= 1 && asked <= largest) return asked
  throw invalid(field, `is not 1 to ${largest}`, `send 1 to ${largest}, or 0 for ${largest}`)
}

function fieldOf(issue: z.core.$ZodIssue | undefined): string {
  const path = (issue?.path ?? []).join('.')
  return path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) || 'request'
}
