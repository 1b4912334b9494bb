import { type Folded, commandIdOf } from '@sciencediscovery/event-store'
import { runSubject } from '@sciencediscovery/run-events'
import { delay } from '@sciencediscovery/service-kit'
import { type Context, nowOf } from '../context.js'
import { type RunCommand } from '../domain/run/commands.js'
import { type OpenRequest, openRequests } from '../domain/run/open-requests.js'
import { type OpenRun, type RunState, isOpen } from '../domain/run/state.js'
import { callModel } from './call-model.js'
import { type Conversations, createConversations } from './conversation.js'
import { Flights } from './flights.js'
import { giveUpCommand, giveUpId } from './give-up.js'
import { insteadOf } from './unrecordable.js'
import { untilAnswered } from './until-answered.js'
import { invokeTool, isFenced } from './invoke-tool.js'
import { type ToolJob, callKeyOf, placeOf } from './tool-job.js'
import { type RunClocks, createRunClocks, expiryCause } from './run-clocks.js'

/** Why a command is given, and what makes it once-only. */
export interface Cause {
  readonly commandId: string
  readonly causationId: string
  readonly requestDigest?: string
}

/** How long open work may take to end after a stop was asked for. */
const cancelWaitMs = 10_000
const abortWaitMs = 1_000
const closeWaitMs = 5_000
/** Three tries of a request that fails for no reason that passes by itself. */
const firstPauseMs = 250
const longestPauseMs = 4_000

/** Starts what runs ask for, on this replica, and records what comes of it. Level-triggered: may be told twice. */
export class RunDriver implements AsyncDisposable {
  readonly #ctx: Context
  readonly #onEnded: (state: RunState) => Promise<void>
  readonly #conversations: Conversations
  readonly #flights = new Flights()
  readonly #cancelling = new Set<string>()
  readonly #clocks: RunClocks
  readonly #closing = new AbortController()

  /** `onEnded` is told of every end, more than once, and must not throw. */
  constructor(ctx: Context, onEnded: (state: RunState) => Promise<void>) {
    this.#ctx = ctx
    this.#onEnded = onEnded
    this.#conversations = createConversations(ctx.texts)
    this.#clocks = createRunClocks(ctx, async (runId, command) => {
      await this.handle(runId, command, expiryCause(runId))
    })
  }

  /** Effects in flight on this replica. */
  get inFlight(): number {
    return this.#flights.size
  }

  /** Hands a command to a run and drives what it leads to. */
  async handle(runId: string, command: RunCommand, cause: Cause): Promise<Folded<RunState>> {
    const meta = { ...cause, correlationId: runId }
    const { folded } = await this.#ctx.runs.handle(runSubject(runId), command, meta)
    this.drive(folded)
    return folded
  }

  /** Sees to the open requests of this state that are ours and not in flight. */
  drive(folded: Folded<RunState>): void {
    const { state } = folded
    if (!('facts' in state)) return
    const { runId } = state.facts.header
    if (!isOpen(state)) {
      this.#clocks.stop(runId)
      void this.#onEnded(state)
      return
    }
    if (state.status === 'cancelling') this.#cancel(folded, state)
    else this.#clocks.watch(state)
    for (const request of openRequests(state)) this.#start(folded, state, request)
  }

  #start(folded: Folded<RunState>, state: OpenRun, request: OpenRequest): void {
    if (request.writer !== this.#ctx.here.replicaId || this.#closing.signal.aborted) return
    const { runId } = state.facts.header
    const key = `${runId}/${request.requestId}/${request.turn}/${request.attempt}`
    this.#flights.start(key, runId, async (signal) => {
      try {
        await this.#actOrGiveUp(folded, state, { request, signal })
      } catch (error) {
        // Fenced: another replica acts now. Anything else is found again by the safety net.
        if (isFenced(error) || this.#closing.signal.aborted) return
        this.#ctx.here.logger.error({ err: error, key }, 'an outcome was not recorded')
      }
    })
  }

  /** What fails every time ends the request: nobody else would, since its writer is alive. */
  async #actOrGiveUp(
    folded: Folded<RunState>,
    state: OpenRun,
    act: { readonly request: OpenRequest; readonly signal: AbortSignal },
  ): Promise<void> {
    const { runId } = state.facts.header
    const { request } = act
    for (let pauseMs = firstPauseMs; pauseMs <= longestPauseMs; pauseMs *= 4) {
      try {
        await this.#act(folded, state, act)
        return
      } catch (error) {
        if (isFenced(error) || this.#closing.signal.aborted) throw error
        this.#ctx.here.logger.error({ err: error, runId, request }, 'a request was not seen to')
        // It may have had its effect: asking again must then do it once.
        if (request.kind === 'tool' && request.call.asked.replay === 'unknown-on-crash') break
        await delay(pauseMs, this.#closing.signal)
      }
    }
    const cause = { commandId: commandIdOf(runId, ...giveUpId(request)), causationId: runId }
    const command = giveUpCommand(this.#ctx, request)
    await untilAnswered(() => this.handle(runId, command, cause), this.#closing.signal)
  }

  async #act(
    { sequence }: Folded<RunState>,
    { facts }: OpenRun,
    { request, signal }: { readonly request: OpenRequest; readonly signal: AbortSignal },
  ): Promise<void> {
    const { runId } = facts.header
    const { requestId, turn, attempt } = request
    const record = async (outcome: RunCommand): Promise<void> => {
      const commandId = commandIdOf(runId, requestId, turn, attempt, outcome.type)
      const send = (): Promise<unknown> =>
        this.handle(runId, outcome, { commandId, causationId: requestId })
      await untilAnswered(send, this.#closing.signal)
    }
    const command =
      request.kind === 'model'
        ? await callModel(this.#ctx, this.#conversations, { facts, request }, signal)
        : await invokeTool(this.#ctx, { facts, request, sequence }, { signal, record })
    if (this.#closing.signal.aborted) return
    try {
      await record(command)
    } catch (error) {
      const instead = insteadOf(command, error)
      if (!instead) throw error
      await record(instead)
    }
  }

  #cancel(folded: Folded<RunState>, state: OpenRun): void {
    const { runId } = state.facts.header
    this.#clocks.stop(runId)
    if (this.#cancelling.has(runId)) return
    this.#cancelling.add(runId)
    void this.#endOpenWork(folded, state)
      .catch((error: unknown) => {
        this.#ctx.here.logger.error({ err: error, runId }, 'a stop did not go through')
      })
      .finally(() => this.#cancelling.delete(runId))
  }

  /** Phase two of a stop: each open request is ended by its key at its owner; what does not end becomes unknown. */
  async #endOpenWork({ sequence }: Folded<RunState>, { facts }: OpenRun): Promise<void> {
    const { runId } = facts.header
    const { state } = await this.#ctx.runs.load(runSubject(runId))
    const jobs = openRequests(state).flatMap((request): ToolJob[] =>
      request.kind === 'tool' ? [{ facts, request, sequence }] : [],
    )
    if (jobs.length === 0) this.#flights.abort(runId)
    await Promise.allSettled(jobs.map((job) => this.#cancelCall(job)))
    await this.#flights.ended(cancelWaitMs, runId)
    this.#flights.abort(runId)
    await this.#flights.ended(abortWaitMs, runId)
    const command = {
      type: 'ForceEnd' as const,
      writer: this.#ctx.here.replicaId,
      now: nowOf(this.#ctx),
    }
    await this.handle(runId, command, {
      commandId: commandIdOf(runId, 'force-end'),
      causationId: runId,
    })
  }

  #cancelCall(job: ToolJob): Promise<void> {
    const call = {
      callKey: callKeyOf(job),
      place: placeOf(this.#ctx, job),
      name: job.request.call.asked.name,
    }
    return this.#ctx.tools.cancel(call, AbortSignal.timeout(cancelWaitMs))
  }

  /** Another replica takes the open work over: nothing more is recorded for it here. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    this.#clocks[Symbol.dispose]()
    this.#flights.abort()
    await this.#flights.ended(closeWaitMs)
  }
}
