import { createHash } from 'node:crypto'
import { commandIdOf } from '@sciencediscovery/event-store'
import { invalid, refused } from '@sciencediscovery/kernel'
import {
  type StartExecutionRequest,
  type StartExecutionResponse,
} from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import {
  maxInlineBytes,
  workspaceOfExecution,
  workspaceSubject,
} from '@sciencediscovery/run-events'
import { type Call, type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type HandlerContext } from '../context.js'
import { type QueueExecution } from '../domain/workspace/commands.js'
import { type ExecutionOrder } from '../domain/workspace/events.js'
import { startedUnder } from '../domain/workspace/executions.js'
import { lookUp } from '../domain/workspace/keyed.js'
import { type OwnedWorkspace } from '../owned-workspaces.js'
import { onOwner, type Way } from './on-owner.js'
import { checkPlace, parseRequest, sizeNumber } from './parse-request.js'
import { fileField, placeField } from './path-field.js'
import { toExecution } from './to-execution.js'
import { waitForEnd } from './wait-for-end.js'

export const executionIdField = z
  .string()
  .regex(/^[A-Za-z0-9_:.-]{1,160}$/, 'send 1 to 160 of letters, digits, _ : . and -')
export const waitField = z
  .number()
  .int()
  .min(0, 'send 0 or more')
  .max(600_000, 'send at most 600000')

const text = z.string().refine((value) => !value.includes('\0'), 'must not hold NUL')

const RequestSchema = z.strictObject({
  executionId: executionIdField,
  projectId: z.string(),
  workspaceId: z.string(),
  runnerId: z.string(),
  runId: z.string(),
  agentId: z.string(),
  callId: z.string(),
  sessionId: z.string(),
  command: text.max(200_000, 'send at most 200000 characters, or a script'),
  scriptPath: placeField,
  arguments: z.array(text.max(4_096, 'send at most 4096 characters')).max(256, 'send at most 256'),
  cwd: placeField,
  environmentId: z.string().max(200),
  timeoutMs: sizeNumber,
  declaredInputs: z.array(fileField).max(1_000, 'send at most 1000 paths'),
  waitMs: waitField,
})

type Request = z.output<typeof RequestSchema>

/** Queues an execution at the owner of the workspace, starts it when it is free, and waits. */
export function startExecution(
  ctx: HandlerContext,
  way: Way,
): Unary<StartExecutionRequest, StartExecutionResponse> {
  return async (message, call) => {
    const request = parseRequest(RequestSchema, message)
    checkPlace(request, ctx.here.pool)
    checkRequest(request)
    return onOwner(ctx, {
      ...{ workspaceId: request.workspaceId, call, way },
      local: (owned) => startHere(ctx, owned, { request, call }),
      forward: (address, signal) =>
        ctx.peers
          .executions(address)
          .startExecution(message, { signal, timeoutMs: request.waitMs + 60_000 }),
    })
  }
}

function checkRequest({
  command,
  scriptPath,
  arguments: list,
  executionId,
  workspaceId,
}: Request): void {
  const both = 'send exactly one of command and script_path'
  if ((command === '') === (scriptPath === '')) throw invalid('command', both)
  if (list.length > 0 && scriptPath === '') {
    throw invalid(
      'arguments',
      'belong to a script',
      'send script_path, or put them into the command',
    )
  }
  if (executionId.startsWith('e-') && workspaceOfExecution(executionId) !== workspaceId) {
    throw invalid('execution_id', 'names another workspace')
  }
}

async function startHere(
  ctx: HandlerContext,
  owned: OwnedWorkspace,
  { request, call }: { readonly request: Request; readonly call: Call },
): Promise<StartExecutionResponse> {
  const { executionId, waitMs, workspaceId } = request
  const subject = workspaceSubject(workspaceId)
  const { state } = await ctx.workspaces.load(subject)
  // Refused before anything is recorded: there is no wall to run it behind.
  if (!lookUp(state.executions, executionId)) await owned.cell()
  const command = await toCommand(ctx, request)
  await queueHere(ctx, owned, { command, request })
  const found = await waitForEnd(ctx, owned, { executionId, waitMs, signal: call.signal })
  return { execution: await toExecution(ctx, workspaceId, found) }
}

/** Queues it, and starts it in the same commit when nothing is before it. */
async function queueHere(
  ctx: HandlerContext,
  owned: OwnedWorkspace,
  { command, request }: { readonly command: QueueExecution; readonly request: Request },
): Promise<void> {
  const { executionId, workspaceId, callId, runId } = request
  const turn = ctx.starter.tryTurn(owned, executionId)
  const asked = { ...command, startUnder: turn ? owned.epoch : undefined }
  const meta = {
    commandId: commandIdOf('queue', executionId, command.command.digest),
    causationId: callId || executionId,
    correlationId: runId || workspaceId,
  }
  try {
    const subject = workspaceSubject(workspaceId)
    const { folded } = await ctx.workspaces.handle(subject, asked, meta)
    // Also when the command is a repeated one: whoever ran it would have the turn that is ours.
    if (turn && startedUnder(owned.epoch, folded.state) === executionId) {
      ctx.starter.runStarted(owned, executionId, turn)
      return
    }
  } catch (error) {
    turn?.release()
    // The start may have landed although nobody was told.
    ctx.starter.run(owned)
    throw error
  }
  turn?.release()
  ctx.starter.run(owned)
}

async function toCommand(ctx: HandlerContext, request: Request): Promise<QueueExecution> {
  const { executionId, sessionId, runId, agentId, callId, environmentId } = request
  if (environmentId !== '') {
    throw refused(`environment ${environmentId} is not known here`, {
      field: 'environment_id',
      remedy: 'leave it empty to use what the runner itself has',
    })
  }
  const { command, scriptPath, arguments: list, cwd, timeoutMs, declaredInputs } = request
  const order: ExecutionOrder = {
    ...{ command, scriptPath, arguments: list, cwd, environmentId, timeoutMs, declaredInputs },
  }
  const content = Buffer.from(JSON.stringify(order))
  const shown = command === '' ? [scriptPath, ...list].join(' ') : command
  return {
    type: 'QueueExecution',
    pool: ctx.here.pool,
    executionId,
    asker: { sessionId, runId, agentId, callId },
    command: {
      digest: createHash('sha256').update(content).digest('hex'),
      preview: shown.slice(0, 500),
    },
    order: await storedOrder(ctx, order, content),
    startUnder: undefined,
    at: new Date(ctx.here.clock()).toISOString(),
  }
}

async function storedOrder(
  ctx: HandlerContext,
  order: ExecutionOrder,
  content: Buffer,
): Promise<QueueExecution['order']> {
  if (content.length <= maxInlineBytes && order.declaredInputs.length <= 64) return { json: order }
  const { digest, sizeBytes } = await ctx.blobs.put(content)
  return { blob: { digest, sizeBytes, mediaType: 'application/json', preview: '' } }
}
