import { isPlatformError, toPlatformError } from '@sciencediscovery/kernel'
import type { RunEvent } from '@sciencediscovery/proto-gen/runs/v1/runs'
import { z } from 'zod'
import type { CommandContext, Decision } from '../../context.js'
import { decide } from '../approve.js'
import { dataOf } from '../print/event-json.js'
import { printable } from '../print/printable.js'

/** Who answers the requests of a run. */
export type ApprovalMode = 'ask' | 'always' | 'deny'

/** Sees to the permission requests of one run while it is followed. */
export interface ApprovalDesk extends AsyncDisposable {
  onEvent(event: RunEvent): void
}

const BlockedSchema = z.object({
  callId: z.string(),
  requestId: z.string(),
  action: z.string(),
  resource: z.string(),
  summary: z.string(),
})
type Blocked = z.infer<typeof BlockedSchema>
const CallSchema = z.object({ callId: z.string() })
const answeredBy = /^tool\.call\.(released|completed|failed|superseded)$/

/** One question at a time, in the order the calls asked; a question answered elsewhere goes away. */
export function createApprovalDesk(
  context: CommandContext,
  runId: string,
  mode: ApprovalMode,
): ApprovalDesk {
  const waiting = new Map<string, AbortController>()
  let queue = Promise.resolve()
  const withdraw = (callId: string): void => {
    waiting.get(callId)?.abort()
    waiting.delete(callId)
  }
  const withdrawAll = (): void => {
    for (const callId of [...waiting.keys()]) withdraw(callId)
  }
  context.interrupts.stop.addEventListener('abort', withdrawAll)
  return {
    onEvent(event) {
      if (event.type === 'tool.call.blocked') {
        const blocked = BlockedSchema.parse(dataOf(event))
        const controller = new AbortController()
        waiting.set(blocked.callId, controller)
        queue = queue.then(() =>
          answer({ context, runId, mode, blocked, signal: controller.signal }),
        )
      } else if (answeredBy.test(event.type)) withdraw(CallSchema.parse(dataOf(event)).callId)
      else if (/^run\.(cancel|completed|failed)/.test(event.type)) withdrawAll()
    },
    async [Symbol.asyncDispose]() {
      context.interrupts.stop.removeEventListener('abort', withdrawAll)
      withdrawAll()
      await queue
    },
  }
}

interface Question {
  readonly context: CommandContext
  readonly runId: string
  readonly mode: ApprovalMode
  readonly blocked: Blocked
  /** Aborts when the request was answered elsewhere or the run is over. */
  readonly signal: AbortSignal
}

async function answer(question: Question): Promise<void> {
  const { context, runId, mode, blocked, signal } = question
  if (isOver(signal)) return
  const { requestId } = blocked
  try {
    const decision = mode === 'ask' ? await ask(question) : byMode[mode]
    if (decision === undefined || isOver(signal)) return
    await decide(context, { runId, requestId, decision, signal })
  } catch (error) {
    if (isOver(signal)) return
    const { message } = toPlatformError(error)
    const settled = isPlatformError(error) && settledCodes.has(error.code)
    const rest = settled ? '' : `; decide with: ${byHand(runId, requestId)}`
    context.output.note(`request ${requestId}: ${message}${rest}`)
  }
}

function isOver(signal: AbortSignal): boolean {
  return signal.aborted
}

const byMode = { always: 'once', deny: 'deny' } as const
const settledCodes: ReadonlySet<string> = new Set(['refused', 'not_found', 'already_exists'])

async function ask({ context, runId, blocked, signal }: Question): Promise<Decision | undefined> {
  const what = printable(`${blocked.summary} (${blocked.action}: ${blocked.resource})`)
  if (!context.terminal) {
    context.output.note(`permission needed: ${what} -- ${byHand(runId, blocked.requestId)}`)
    return undefined
  }
  const release = context.output.hold()
  try {
    const decision = await context.terminal.decide(what, signal)
    if (decision === 'interrupted') context.interrupts.trigger()
    return decision === 'interrupted' || decision === 'withdrawn' ? undefined : decision
  } finally {
    release()
  }
}

function byHand(runId: string, requestId: string): string {
  return `scid approve ${runId} ${requestId} --once|--matching|--deny`
}
