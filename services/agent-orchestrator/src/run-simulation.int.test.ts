import {
  type Aggregates,
  type EventStore,
  createAggregates,
  createEmbeddedStore,
} from '@sciencediscovery/event-store'
import { isPlatformError } from '@sciencediscovery/kernel'
import { type RunEvent, parseRunEvent, runSubject } from '@sciencediscovery/run-events'
import {
  type SimulatedProcess,
  Simulation,
  collect,
  faultyStore,
  firstFailingSeed,
  noFaults,
  runSeeds,
} from '@sciencediscovery/testing'
import { describe, expect, test } from 'vitest'
import { runType } from './aggregate-types.js'
import { type RunCommand } from './domain/run/commands.js'
import { type OpenRequest, openRequests } from './domain/run/open-requests.js'
import { asked, at, header } from './domain/run/run-fixture.js'
import { type RunState, isOpen } from './domain/run/state.js'

const subject = runSubject(header.runId)
const turns = 3
const calls = [
  { name: 'write_once', replay: 'unknown-on-crash' as const, concurrency: 'exclusive' as const },
  { name: 'read', replay: 'pure' as const, concurrency: 'shared' as const },
  { name: 'keyed_write', replay: 'keyed' as const, concurrency: 'exclusive' as const },
]

/** The world outside: what was really done, and how often. */
interface World {
  readonly done: Map<string, number>
  readonly keys: Set<string>
}

/** What a test may break on purpose. */
interface Plant {
  /** A lost call is asked again although it must not be. */
  readonly forgetReplayClass?: boolean
}

/**
 * Two replicas see to one run as the reactors do: start what is open under their name, take over what a
 * gone replica asked for. Each may stop dead between any two awaits and comes back under a new name.
 */
async function simulate(seed: number, plant: Plant = {}): Promise<void> {
  const simulation = new Simulation(seed, { crashes: 3, crashChance: 0.03 })
  await using embedded = await createEmbeddedStore()
  const world: World = { done: new Map(), keys: new Set() }
  const living = new Map<string, SimulatedProcess>()
  let starts = 0
  for (const place of ['left', 'right']) {
    simulation.start(place, async (process) => {
      starts += 1
      const name = `${place}-${starts}`
      living.set(name, process)
      const wires = { step: () => process.step(), wire: () => simulation.wire() }
      const store = faultyStore(embedded.store, simulation.random, wires)
      await work({
        runs: runsOn(store, name, { simulation, process }),
        name,
        process,
        living,
        world,
        plant,
      })
    })
  }
  await simulation.run(60_000)
  await check(embedded.store, world)
}

interface Replica {
  readonly runs: Aggregates<RunState, RunCommand>
  readonly name: string
  readonly process: SimulatedProcess
  readonly living: ReadonlyMap<string, SimulatedProcess>
  readonly world: World
  readonly plant: Plant
}

function runsOn(
  store: EventStore,
  writer: string,
  { simulation, process }: { readonly simulation: Simulation; readonly process: SimulatedProcess },
): Aggregates<RunState, RunCommand> {
  const { random } = simulation
  return createAggregates(runType, {
    store,
    clock: () => 0,
    writer,
    random,
    timers: process.timers,
  })
}

async function work(replica: Replica): Promise<void> {
  const { runs, name, process } = replica
  for (;;) {
    await process.step()
    const state = await tried(async () => (await runs.load(subject)).state)
    if (!state) continue
    if (state.status === 'unborn') {
      await ask(replica, 'start', {
        type: 'StartRun',
        header,
        message: 'go',
        writer: name,
        now: at,
      })
      continue
    }
    if (!isOpen(state)) return
    for (const request of openRequests(state)) {
      if (request.writer === name) await act(replica, request)
      else if (replica.living.get(request.writer)?.alive() !== true) {
        const gone = `take-over ${request.writer} ${request.requestId} ${request.turn}.${request.attempt}`
        await ask(replica, gone, { type: 'TakeOver', writer: name, now: at })
      }
    }
  }
}

async function act(replica: Replica, request: OpenRequest): Promise<void> {
  const { name, process, world, plant } = replica
  const id = `${request.requestId} ${request.turn}.${request.attempt}`
  const by = { writer: name, now: at }
  if (request.kind === 'model') {
    const toolCalls = request.turn > turns ? [] : callsOf(request.turn, plant)
    const { turn, attempt } = request
    await ask(replica, id, {
      type: 'RecordModelTurn',
      turn,
      attempt,
      text: '',
      toolCalls,
      stop: 'end',
      model: 'm',
      ...by,
    })
    return
  }
  const { asked: call } = request.call
  const key = `${request.turn}/${call.callId}`
  // The owner of a keyed effect keeps the key: a second ask joins the first.
  if (!(call.name === 'keyed_write' && world.keys.has(key)))
    world.done.set(key, (world.done.get(key) ?? 0) + 1)
  world.keys.add(key)
  await process.step()
  const { attempt } = request
  await ask(replica, id, {
    ...{
      type: 'CompleteCall',
      callId: call.callId,
      attempt,
      isError: false,
      text: key,
      details: { json: {} },
      effects: [],
    },
    ...by,
  })
}

function callsOf(turn: number, plant: Plant): ReturnType<typeof asked>[] {
  return calls.map((call, index) => {
    const replay =
      plant.forgetReplayClass === true && call.replay === 'unknown-on-crash' ? 'keyed' : call.replay
    return asked(`c${index}`, { ...call, replay, argumentsDigest: `${turn}-${index}` })
  })
}

async function ask(replica: Replica, commandId: string, command: RunCommand): Promise<void> {
  const meta = { commandId, causationId: 'c', correlationId: 'r', deadlineMs: 300 }
  await tried(() => replica.runs.handle(subject, command, meta))
}

/** Whatever the wire does, the loop looks again; only a broken rule ends it. */
async function tried<T>(attempt: () => Promise<T>): Promise<T | undefined> {
  try {
    return await attempt()
  } catch (error) {
    if (!isPlatformError(error) || error.code === 'bug') throw error
    return undefined
  }
}

const outcomes = ['tool.call.completed', 'tool.call.failed', 'tool.call.superseded']

async function check(store: EventStore, world: World): Promise<void> {
  const last = await store.last(subject)
  const commits = await collect(store.read(subject, { upToSequence: last?.sequence ?? 0 }))
  const events = commits.flatMap(({ commit }) => commit.events.map(parseRunEvent))
  // Late outcomes are kept after the end, too.
  const end = events.findLast((event) => event.type !== 'effect.recorded')
  if (end?.type !== 'run.completed') throw new Error(`the run ended with ${String(end?.type)}`)
  const ends = events.filter((event) => outcomes.includes(event.type))
  if (ends.length !== turns * calls.length)
    throw new Error(`${ends.length} outcomes for ${turns * calls.length} calls`)
  checkPlans(events)
  for (const [key, times] of world.done) {
    const isRead = key.endsWith('/c1')
    if (!isRead && times > 1) throw new Error(`${key} was done ${times} times`)
  }
}

function checkPlans(events: readonly RunEvent[]): void {
  const requested = events.flatMap((event) =>
    event.type === 'model.turn.requested' ? [event.data.turn] : [],
  )
  if (requested.some((turn, index) => turn < (requested[index - 1] ?? 0)))
    throw new Error('a model turn was asked for out of order')
  const completed = events.filter((event) => event.type === 'model.turn.completed')
  if (completed.length !== turns + 1)
    throw new Error(`${completed.length} model turns instead of ${turns + 1}`)
}

describe('R5: a run under a scheduler that drops, delays, repeats and crashes', () => {
  test(
    'ends, with one outcome for each call and no effect done twice, under 2,000 seeds',
    { timeout: 120_000 },
    async () => {
      await runSeeds(2_000, (seed) => simulate(seed))
    },
  )

  test(
    'a planted bug is found: a call that must not be asked twice is asked again after a crash',
    { timeout: 120_000 },
    async () => {
      const found = await firstFailingSeed(500, (seed) =>
        simulate(seed, { forgetReplayClass: true }),
      )
      expect(found).toBeDefined()
    },
  )

  test('without faults it simply ends', async () => {
    const simulation = new Simulation(1, { crashes: 0 })
    await using embedded = await createEmbeddedStore()
    const world: World = { done: new Map(), keys: new Set() }
    const living = new Map<string, SimulatedProcess>()
    simulation.start('only', async (process) => {
      living.set('only', process)
      const store = faultyStore(embedded.store, simulation.random, { faults: noFaults })
      await work({
        runs: runsOn(store, 'only', { simulation, process }),
        name: 'only',
        process,
        living,
        world,
        plant: {},
      })
    })
    await simulation.run()
    await check(embedded.store, world)
  })
})
