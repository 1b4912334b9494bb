import { PlatformError } from '@sciencediscovery/kernel'
import { Conflict } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { placeOfWorkspace } from '@sciencediscovery/run-events'
import {
  type Asker,
  defineTool,
  okResult,
  type PermissionNeed,
  type ToolResult,
} from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type GatewayTool } from '../catalogue.js'
import { type ToolCall } from '../tool-call.js'
import { actorOf, effectKeyOf, needsWorkspaceCode, workspaceOf } from './place.js'
import { headline, toTransferRecord, TransferSchema, transferText } from './transfer.js'
import { count } from './words.js'

const WorkspaceIdSchema = z.string().min(1).max(200)
const TransferIdSchema = z.string().min(1).max(200)
const PathSchema = z.string().min(1).max(1_000)

const needs = {
  workspaces: [],
  start: ['source_workspace_id', 'target_workspace_id', 'files'],
  list: [],
  status: ['transfer_id'],
  cancel: ['transfer_id'],
} as const
const operations = ['workspaces', 'start', 'list', 'status', 'cancel'] as const

const parameters = z
  .strictObject({
    operation: z
      .enum(operations)
      .describe('workspaces lists yours by runner; start copies files; list, status and cancel'),
    source_workspace_id: WorkspaceIdSchema.optional().describe('start: where files come from'),
    target_workspace_id: WorkspaceIdSchema.optional().describe('start: where they go'),
    files: z
      .array(
        z.strictObject({
          source_path: PathSchema.describe('Path in the source workspace'),
          target_path: PathSchema.describe('Path in the target workspace'),
        }),
      )
      .min(1)
      .max(50)
      .optional()
      .describe('start: 1 to 50 files'),
    conflict: z
      .enum(['reject', 'overwrite'])
      .optional()
      .describe('start: what to do where a target exists; reject when left out'),
    transfer_id: TransferIdSchema.optional().describe('status, cancel: the transfer'),
  })
  .superRefine((args, context) => {
    const needed: readonly string[] = needs[args.operation]
    for (const field of needed) {
      if (Object.hasOwn(args, field)) continue
      const message = `is needed for operation ${args.operation}; send it`
      context.addIssue({ code: 'custom', path: [field], message })
    }
  })
type Arguments = z.output<typeof parameters>

const WorkspaceSchema = z.strictObject({
  id: z.string(),
  runnerId: z.string(),
  writable: z.boolean(),
  /** The one that tools work in when no runner is named. */
  current: z.boolean(),
})

/** What `workspace_transfer` tells programs. */
export const WorkspaceTransferDetailsSchema = z.union([
  z.strictObject({ workspaces: z.array(WorkspaceSchema) }),
  z.strictObject({ transfer: TransferSchema }),
  z.strictObject({ transfers: z.array(TransferSchema), truncated: z.boolean() }),
])
type Details = z.input<typeof WorkspaceTransferDetailsSchema>

/** Small transfers are over by then, and need no call of their own to be seen to the end. */
const waitMs = 5_000

/** S-11 to S-15: files from one of the agent's workspaces to another, on one runner or between two. */
const tool = defineTool({
  name: 'workspace_transfer',
  description:
    'Copies files between your workspaces: you have one on each runner, and they do not share files. Operation workspaces lists them with their runner ids. Operation start copies what was last committed in the source, each file whole or not at all; it answers a record with the outcome of each file and goes on by itself when it takes longer. Follow it with status, end it with cancel: what is at its target stays there.',
  parameters,
  effect: 'write',
  permission: permissionOf,
  concurrency: 'exclusive',
  replay: 'keyed',
  observation: true,
  deadlineMs: 60_000,
  details: WorkspaceTransferDetailsSchema,
  wire: { harness: 'hidden' },
  handler: async (args, call: ToolCall): Promise<ToolResult<Details>> => {
    switch (args.operation) {
      case 'workspaces':
        return listWorkspaces(call)
      case 'start':
        return start(args, call)
      case 'list':
        return list(call)
      case 'status':
        return status(args, call)
      case 'cancel':
        return cancel(args, call)
    }
  },
})

/** Another runner is another machine: what is put there is asked for, like code. */
function permissionOf(args: Arguments, { runnerId }: Asker): PermissionNeed | undefined {
  const { operation, target_workspace_id: target = '', files = [] } = args
  if (operation !== 'start' || poolOf(target) === runnerId) return undefined
  const shown = target.replace(/\s+/g, ' ').slice(0, 120)
  return needsWorkspaceCode(`copy ${count(files.length, 'file')} to ${shown}`)
}

/** Empty for what is no id of a workspace: its owner refuses it. */
function poolOf(workspaceId: string): string {
  try {
    return placeOfWorkspace(workspaceId).runnerId
  } catch {
    return ''
  }
}

function listWorkspaces(call: ToolCall): ToolResult<Details> {
  const workspaces = call.pools.map((pool) => {
    const { workspaceId: id, runnerId } = workspaceOf(call, pool)
    return { id, runnerId, writable: true, current: runnerId === call.place.runnerId }
  })
  const lines = workspaces.map(
    ({ id, runnerId, current }) =>
      `${id} on runner ${runnerId}, writable${current ? ', the one that tools use' : ''}`,
  )
  return okResult(lines.join('\n'), { workspaces })
}

async function start(args: Arguments, call: ToolCall): Promise<ToolResult<Details>> {
  const { files = [], conflict = 'reject' } = args
  const { transfer, effects } = await call.transfers.startTransfer(
    {
      effectKey: effectKeyOf(call),
      actor: actorOf(call),
      sourceWorkspaceId: args.source_workspace_id ?? '',
      targetWorkspaceId: args.target_workspace_id ?? '',
      files: files.map((file) => ({ sourcePath: file.source_path, targetPath: file.target_path })),
      conflict: conflict === 'overwrite' ? Conflict.CONFLICT_OVERWRITE : Conflict.CONFLICT_REJECT,
      waitMs,
    },
    { signal: call.signal, waitMs },
  )
  const record = toTransferRecord(transfer)
  const isError = record.state === 'failed' || record.state === 'unknown'
  return { text: transferText(record), isError, details: { transfer: record }, effects }
}

async function list(call: ToolCall): Promise<ToolResult<Details>> {
  const request = { actor: actorOf(call), pageSize: 50, pageToken: '' }
  const page = await call.transfers.listTransfers(request, { signal: call.signal })
  const transfers = page.transfers.map(toTransferRecord)
  const truncated = page.nextPageToken !== ''
  const lines = transfers.map(headline)
  if (lines.length === 0) lines.push('You have asked for no transfer yet.')
  if (truncated) lines.push('[only the newest 50 are shown]')
  return okResult(lines.join('\n'), { transfers, truncated })
}

async function status(args: Arguments, call: ToolCall): Promise<ToolResult<Details>> {
  const request = { actor: actorOf(call), transferId: args.transfer_id ?? '' }
  const { transfer } = await call.transfers.getTransfer(request, { signal: call.signal })
  const record = toTransferRecord(transfer)
  return okResult(transferText(record), { transfer: record })
}

async function cancel(args: Arguments, call: ToolCall): Promise<ToolResult<Details>> {
  const request = { actor: actorOf(call), transferId: args.transfer_id ?? '', effectKey: '' }
  const { transfer } = await call.transfers.cancelTransfer(request, { signal: call.signal })
  if (!transfer) throw new PlatformError('not_found', `transfer ${request.transferId} not found`)
  const record = toTransferRecord(transfer)
  return okResult(transferText(record), { transfer: record })
}

/** Asks to end the transfer that the call started or may still start. */
async function cancelTransferOfCall(call: ToolCall): Promise<boolean> {
  const request = { actor: actorOf(call), transferId: '', effectKey: effectKeyOf(call) }
  const { transfer } = await call.transfers.cancelTransfer(request, { signal: call.signal })
  return transfer !== undefined
}

export const workspaceTransfer: GatewayTool = { tool, cancel: cancelTransferOfCall }
