import { derivedId } from '@sciencediscovery/event-store'
import { invalid, notFound } from '@sciencediscovery/kernel'
import { workspaceIdOf } from '@sciencediscovery/run-events'
import { z } from 'zod'
import { ProjectSchema } from './parse-request.js'

const text = z.string().max(200, 'is longer than 200 characters')

/** The agent that asks: transfers are its own, and nobody else's. */
export const TransferActorSchema = z.object({
  projectId: ProjectSchema,
  sessionId: text.min(1, 'is missing'),
  runId: text,
  agentId: text.regex(/^a-[0-9a-f]{16}-/, 'is not the id of an agent'),
  callId: z.string().max(1_000, 'is longer than 1000 characters'),
})
export type TransferActor = z.output<typeof TransferActorSchema>

/** The id of what is asked for with the key: asking twice is one transfer. */
export function transferIdOf({ projectId, agentId }: TransferActor, effectKey: string): string {
  return derivedId('tr', projectId, agentId, effectKey)
}

/** An id as it is made here; anything else is the id of nothing. */
export function parseTransferId(id: string): string {
  if (/^tr[0-9a-f]{32}$/.test(id)) return id
  throw notFound(`transfer ${JSON.stringify(id.slice(0, 100))}`)
}

/** A workspace of the agent, on whatever pool; that of another agent is not found. */
export function ownWorkspace(field: string, workspaceId: string, actor: TransferActor): string {
  const pool = /^w-([a-z0-9]{1,32})-/.exec(workspaceId)?.[1]
  if (pool !== undefined && workspaceIdOf(actor.agentId, pool) === workspaceId) return workspaceId
  const shown = JSON.stringify(workspaceId.slice(0, 200))
  throw invalid(
    field,
    `workspace ${shown} not found among yours`,
    'send an id that the operation workspaces lists',
  )
}

const longestPathBytes = 1_024

/** A path as transfers take it: relative, with '/', nothing that could lead out or be read in two ways. */
export function parseTransferPath(field: string, path: string): string {
  const remedy = "send a path relative to the workspace, with '/', without '.' and '..'"
  if (path === '') throw invalid(field, 'is missing', remedy)
  if (/[\0\\]/.test(path)) throw invalid(field, 'holds NUL or a backslash', remedy)
  if (new TextEncoder().encode(path).length > longestPathBytes)
    throw invalid(field, `is longer than ${longestPathBytes} bytes`, remedy)
  if (path.split('/').some((name) => name === '' || name === '.' || name === '..'))
    throw invalid(field, `${JSON.stringify(path.slice(0, 200))} is no plain path`, remedy)
  return path
}
