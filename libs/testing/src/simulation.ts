import { type Timers } from '@sciencediscovery/event-store'
import { simulationSeed } from './config.js'
import { type Random, pick, seededRandom } from './seeded-random.js'

interface Waiting {
  readonly owner: SimulatedProcess | undefined
  readonly dueAt: number
  readonly resume: () => void
}

/** Deadlines are kept by `now` alone: nothing here takes real time. */
const noDeadline = { signal: new AbortController().signal, clear: (): void => undefined }

/** A process that the simulation may stop dead between any two awaits. */
export interface SimulatedProcess {
  readonly name: string
  /** False after a crash: nothing of it goes on. */
  readonly alive: () => boolean
  /** A place where others may run, where time may pass, and where this process may end. */
  step(): Promise<void>
  readonly timers: Timers
}

/** What may happen, and how often. */
export interface SimulationSetting {
  /** Crashes in one run, at most. Default 2. */
  readonly crashes?: number
  /** Chance of a crash at each step while crashes are left. Default 0.02. */
  readonly crashChance?: number
}

/** One run under a seeded scheduler: the same seed gives the same order, the same times, the same crashes. */
export class Simulation {
  readonly random: Random
  readonly #setting: Required<SimulationSetting>
  readonly #dead = new Set<SimulatedProcess>()
  readonly #failures: unknown[] = []
  readonly #restarts = new Map<SimulatedProcess, () => void>()
  #waiting: Waiting[] = []
  #now = 0
  #crashesLeft: number

  constructor(seed: number, setting: SimulationSetting = {}) {
    this.random = seededRandom(seed)
    this.#setting = { crashes: 2, crashChance: 0.02, ...setting }
    this.#crashesLeft = this.#setting.crashes
  }

  /** Starts a process. After a crash it is started again, with nothing left of what it had in memory. */
  start(name: string, main: (process: SimulatedProcess) => Promise<void>): void {
    const process = this.#processOf(name)
    this.#restarts.set(process, () => {
      this.start(name, main)
    })
    main(process).then(
      () => this.#restarts.delete(process),
      (error: unknown) => this.#failures.push(error),
    )
  }

  /** A step that belongs to no process: something under way on the wire. */
  wire(): Promise<void> {
    return this.#wait(undefined, this.#now)
  }

  /** Runs until nobody waits any more; throws what a process threw. */
  async run(maxSteps = 20_000): Promise<void> {
    for (let steps = 0; ; steps += 1) {
      await quiet()
      if (this.#failures.length > 0) throw this.#failures[0]
      if (this.#waiting.length === 0) return
      if (steps > maxSteps) throw new Error(`still running after ${maxSteps} steps`)
      this.#crashSomebody()
      this.#resumeSomebody()
    }
  }

  #resumeSomebody(): void {
    if (this.#waiting.length === 0) return
    const due = this.#waiting.filter((waiting) => waiting.dueAt <= this.#now)
    const next =
      due.length > 0 && this.random() < 0.9 ? pick(this.random, due) : this.#earliestLater(due)
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    this.#now = Math.max(this.#now, next.dueAt)
    next.resume()
  }

  /** Time passes: whoever sleeps shortest wakes up before those that could run have run. */
  #earliestLater(due: readonly Waiting[]): Waiting {
    const later = this.#waiting.filter((waiting) => !due.includes(waiting))
    if (later.length === 0) return pick(this.random, due)
    return later.reduce((first, other) => (other.dueAt < first.dueAt ? other : first))
  }

  #crashSomebody(): void {
    const living = [...this.#restarts.keys()]
    if (
      this.#crashesLeft === 0 ||
      living.length === 0 ||
      this.random() >= this.#setting.crashChance
    )
      return
    this.#crashesLeft -= 1
    const victim = pick(this.random, living)
    const restart = this.#restarts.get(victim)
    this.#dead.add(victim)
    this.#restarts.delete(victim)
    this.#waiting = this.#waiting.filter((waiting) => waiting.owner !== victim)
    restart?.()
  }

  #processOf(name: string): SimulatedProcess {
    const process: SimulatedProcess = {
      name,
      alive: () => !this.#dead.has(process),
      step: () => this.#wait(process, this.#now),
      timers: {
        now: () => this.#now,
        sleep: (ms) => this.#wait(process, this.#now + ms),
        deadline: () => noDeadline,
      },
    }
    return process
  }

  #wait(owner: SimulatedProcess | undefined, dueAt: number): Promise<void> {
    return new Promise((resume) => {
      if (owner === undefined || owner.alive()) this.#waiting.push({ owner, dueAt, resume })
    })
  }
}

/** Lets everything run that waits for no step. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Runs the seeds one after the other; a failure names its seed. `SIM_SEED=n` runs that one alone. */
export async function runSeeds(count: number, run: (seed: number) => Promise<void>): Promise<void> {
  const seeds =
    simulationSeed === undefined
      ? Array.from({ length: count }, (_, index) => index + 1)
      : [simulationSeed]
  for (const seed of seeds) {
    await run(seed).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`seed ${seed} (replay with SIM_SEED=${seed}): ${reason}`, { cause })
    })
  }
}

/** The first of the seeds whose run fails; undefined when all hold. */
export async function firstFailingSeed(
  count: number,
  run: (seed: number) => Promise<void>,
): Promise<number | undefined> {
  for (let seed = 1; seed <= count; seed += 1) {
    const failed = await run(seed).then(
      () => false,
      () => true,
    )
    if (failed) return seed
  }
  return undefined
}
