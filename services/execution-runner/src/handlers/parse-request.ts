import { invalid } from '@sciencediscovery/kernel'
import { placeOfWorkspace } from '@sciencediscovery/run-events'
import { z } from 'zod'

/** The request as its schema has it; the first problem names its field. */
export function parseRequest<Schema extends z.ZodType>(
  schema: Schema,
  request: unknown,
): z.output<Schema> {
  const result = schema.safeParse(request)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw invalid(issue?.path.join('.') ?? 'request', issue?.message ?? 'does not fit')
}

/** A 64-bit number that is small enough for us. */
export const sizeNumber = z
  .bigint()
  .min(0n, 'send 0 or more')
  .max(BigInt(Number.MAX_SAFE_INTEGER), 'send a smaller number')
  .transform(Number)

/** Workspace, pool and project: three names of one place that must agree. */
export interface Place {
  readonly projectId: string
  readonly workspaceId: string
  readonly runnerId: string
}

/** Refuses a workspace of another pool or project: whoever asks may know one and not the other. */
export function checkPlace(place: Place, pool: string): void {
  const found = placeOfWorkspace(place.workspaceId)
  if (found.projectId !== place.projectId) {
    throw invalid('project_id', 'is not the project of the workspace')
  }
  if (found.runnerId !== place.runnerId) {
    throw invalid('runner_id', 'is not the runner pool of the workspace')
  }
  if (found.runnerId !== pool) {
    const remedy = `ask a runner of pool ${found.runnerId}`
    throw invalid('runner_id', `this runner belongs to pool ${pool}`, remedy)
  }
}
