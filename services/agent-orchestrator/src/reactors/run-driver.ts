import { commandIdOf, type Folded } from '@sciencediscovery/event-store'
import { runSubject } from '@sciencediscovery/run-events'
import { type RunCommand } from '../domain/run/commands.js'
import { type OpenRequest, openRequests } from '../domain/run/open-requests.js'
import { type OpenRun, type RunState, isOpen } from '../domain/run/state.js'
import { type Context, nowOf } from '../context.js'
import { callModel } from './call-model.js'
import { createConversations } from './conversation.js'
import { type ToolJob, callKeyOf, invokeTool, isFenced, placeOf } from './invoke-tool.js'
import { createRunClocks, expiryCause } from './run-clocks.js'

/** Starts what runs ask for, on this replica, and records what comes of it. Level-triggered: it may be told twice. */
export interface RunDriver extends AsyncDisposable {
  /** Sees to the open requests of this state that are ours and not in flight. */
  drive(folded: Folded<RunState>): void
  /** Hands a command to a run and drives what it leads to. */
  handle(
    runId: string,
    command: RunCommand,
    cause: { readonly commandId: string; readonly causationId: string },
  ): Promise<Folded<RunState>>
  /** Effects in flight on this replica. */
  inFlight(): number
}

interface Flight {
  readonly controller: AbortController
  readonly runId: string
  readonly done: Promise<void>
}

/** How long open work may take to end after a stop was asked for. */
const cancelWaitMs = 10_000

export function createRunDriver(
  ctx: Context,
  onEnded: (state: RunState) => Promise<void>,
): RunDriver {
  const conversations = createConversations(ctx.texts)
  const flights = new Map<string, Flight>()
  const cancelling = new Set<string>()
  const clocks = createRunClocks(ctx, (runId, command) =>
    handle(runId, command, expiryCause(runId, command)).then(() => undefined),
  )
  const closing = new AbortController()

  const handle: RunDriver['handle'] = async (runId, command, cause) => {
    const { folded } = await ctx.runs.handle(runSubject(runId), command, {
      ...cause,
      correlationId: runId,
    })
    drive(folded)
    return folded
  }

  const run = async (
    folded: Folded<RunState>,
    state: OpenRun,
    request: OpenRequest,
    signal: AbortSignal,
  ): Promise<void> => {
    const { runId } = state.facts.header
    const command =
      request.kind === 'model'
        ? await callModel(ctx, conversations, { facts: state.facts, request }, signal)
        : await invokeTool(ctx, { facts: state.facts, request, sequence: folded.sequence }, signal)
    if (closing.signal.aborted) return
    await handle(runId, command, {
      commandId: commandIdOf(runId, request.requestId, request.turn, request.attempt, command.type),
      causationId: request.requestId,
    })
  }

  const start = (folded: Folded<RunState>, state: OpenRun, request: OpenRequest): void => {
    const { runId } = state.facts.header
    const key = `${runId}/${request.requestId}/${request.turn}/${request.attempt}`
    if (request.writer !== ctx.here.replicaId || flights.has(key) || closing.signal.aborted) return
    const controller = new AbortController()
    const done = run(folded, state, request, controller.signal)
      .catch((error: unknown) => {
        // Fenced: another replica acts now. Anything else is found again by the safety net.
        if (!isFenced(error))
          ctx.here.logger.error(
            { err: error, runId, request: request.requestId },
            'an outcome was not recorded',
          )
      })
      .finally(() => {
        flights.delete(key)
      })
    flights.set(key, { controller, runId, done })
  }

  const drive = (folded: Folded<RunState>): void => {
    const { state } = folded
    if (!isOpen(state)) {
      if (!('facts' in state)) return
      clocks.stop(state.facts.header.runId)
      void onEnded(state)
      return
    }
    if (state.status === 'cancelling') cancel(folded, state)
    else clocks.watch(state)
    for (const request of openRequests(state)) start(folded, state, request)
  }

  const cancel = (folded: Folded<RunState>, state: OpenRun): void => {
    const { runId } = state.facts.header
    clocks.stop(runId)
    if (cancelling.has(runId)) return
    cancelling.add(runId)
    void endOpenWork(folded, state)
      .catch((error: unknown) => {
        ctx.here.logger.error({ err: error, runId }, 'a stop did not go through')
      })
      .finally(() => {
        cancelling.delete(runId)
      })
  }

  // Phase two of a stop: each open request is ended by its key at its owner; what does not end becomes unknown.
  const endOpenWork = async (folded: Folded<RunState>, state: OpenRun): Promise<void> => {
    const { runId } = state.facts.header
    const signal = AbortSignal.timeout(cancelWaitMs)
    const jobs = openRequests(state).flatMap((request): ToolJob[] =>
      request.kind === 'tool' ? [{ facts: state.facts, request, sequence: folded.sequence }] : [],
    )
    if (jobs.length === 0) abortFlights(runId)
    await Promise.allSettled(
      jobs.map((job) =>
        ctx.tools.cancel(
          { callKey: callKeyOf(job), place: placeOf(ctx, job), name: job.request.call.asked.name },
          signal,
        ),
      ),
    )
    await endOfFlights(runId, cancelWaitMs)
    abortFlights(runId)
    await endOfFlights(runId, 1_000)
    const command = { type: 'ForceEnd' as const, writer: ctx.here.replicaId, now: nowOf(ctx) }
    await handle(runId, command, { commandId: commandIdOf(runId, 'force-end'), causationId: runId })
  }

  const ofRun = (runId: string): readonly Flight[] =>
    [...flights.values()].filter((flight) => flight.runId === runId)
  const abortFlights = (runId: string): void => {
    for (const flight of ofRun(runId)) flight.controller.abort()
  }
  const endOfFlights = async (runId: string, waitMs: number): Promise<void> => {
    await within(Promise.all(ofRun(runId).map((flight) => flight.done)), waitMs)
  }

  return {
    drive,
    handle,
    inFlight: () => flights.size,
    async [Symbol.asyncDispose]() {
      // Another replica takes the open work over: nothing is recorded for it here.
      closing.abort()
      clocks[Symbol.dispose]()
      const open = [...flights.values()]
      for (const flight of open) flight.controller.abort()
      await within(Promise.all(open.map((flight) => flight.done)), 5_000)
    },
  }
}

async function within(work: Promise<unknown>, waitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const wait = new Promise((resolve) => {
    timer = setTimeout(resolve, waitMs)
  })
  await Promise.race([work, wait])
  clearTimeout(timer)
}
