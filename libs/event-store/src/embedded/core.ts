import { type ReactorGroup, type StoreDescription } from '../event-store.js'
import { type Timers } from '../timers.js'
import { streamsOfNoun } from '../topology.js'
import { JournalBodies, memoryBodies } from './bodies.js'
import { createSignalBoard } from './embedded-signals.js'
import {
  AckSchema,
  AttemptSchema,
  DoneSchema,
  type GroupRecord,
  GroupSchema,
  type Header,
  OfferSchema,
  TakenSchema,
  fromRecord,
  toRecord,
} from './group-records.js'
import { JobBoard } from './job-board.js'
import { type Place, recordKinds } from './journal-format.js'
import { Ledger } from './ledger.js'
import { ReactorGroupState } from './reactor-group.js'
import { type RecordLog } from './record-log.js'

/** Something found at start that people should know, and what to do about it. */
export interface Warning {
  readonly problem: string
  readonly remedy: string
}

export interface CoreOptions {
  readonly log: RecordLog
  readonly header: Header
  readonly notes: Warning[]
  readonly inMemory: boolean
  readonly fsync: boolean
  readonly cacheBytes: number
  readonly timers: Timers
}

/** What all sessions of one embedded store share. */
export class Core {
  readonly ledger: Ledger
  readonly board: JobBoard
  readonly signals = createSignalBoard()
  readonly identity: string
  readonly #options: CoreOptions
  readonly #groups = new Map<string, Promise<ReactorGroupState>>()
  readonly #recovering = new Map<string, ReactorGroupState>()

  constructor(options: CoreOptions) {
    const { log, header, timers } = options
    this.#options = options
    this.identity = header.identity
    const bodies = options.inMemory ? memoryBodies() : new JournalBodies(log, options.cacheBytes)
    this.ledger = new Ledger(log, bodies, header.runShards)
    this.board = new JobBoard(log, timers)
  }

  get description(): StoreDescription {
    const { inMemory, fsync, notes } = this.#options
    const durable = !inMemory && fsync
    const weak = {
      problem: inMemory
        ? 'events are kept in memory only'
        : 'events are acknowledged before they are synced',
      remedy: inMemory ? 'name a data directory' : 'leave fsync on',
    }
    return {
      backend: 'embedded',
      version: inMemory ? 'memory' : 'journal 1',
      durable,
      replicas: 1,
      notes: durable ? notes : [...notes, weak],
    }
  }

  /** The shared state of a group, begun at the streams' current end when it is new. */
  groupOf({ name, noun }: ReactorGroup): Promise<ReactorGroupState> {
    const known = this.#groups.get(name)
    if (known) return known
    const streams = streamsOfNoun(noun, this.ledger.runShards)
    const starts = Object.fromEntries(
      streams.map((stream) => [stream, this.ledger.lastSequence(stream)]),
    )
    const record = { name, noun, starts }
    const state = this.#options.log
      .write(toRecord(recordKinds.group, record))
      .then(() => this.#stateOf(record))
    this.#groups.set(name, state)
    state.catch(() => this.#groups.delete(name))
    return state
  }

  /** Learns one record of the journal, in order. Kinds of a newer version are passed over. */
  recover(kind: number, body: Buffer, place: Place): void {
    if (kind === recordKinds.commit) this.ledger.recover(body, place)
    else if (kind === recordKinds.ack) this.#recoverAck(fromRecord(AckSchema, body))
    else if (kind === recordKinds.attempt) this.#recoverAttempt(fromRecord(AttemptSchema, body))
    else if (kind === recordKinds.group) this.#recoverGroup(fromRecord(GroupSchema, body))
    else if (kind === recordKinds.offer) this.board.recoverOffer(fromRecord(OfferSchema, body))
    else if (kind === recordKinds.taken) this.board.recoverTaken(fromRecord(TakenSchema, body))
    else if (kind === recordKinds.done) this.board.recoverDone(fromRecord(DoneSchema, body))
  }

  /** The journal is read: what was in somebody's hands is free again. */
  recovered(): void {
    for (const [name, state] of this.#recovering) this.#groups.set(name, Promise.resolve(state))
    this.#recovering.clear()
    this.board.recovered()
  }

  #recoverGroup(record: GroupRecord): void {
    this.#recovering.set(record.name, this.#stateOf(record))
  }

  #recoverAck(ack: { group: string; stream: string; sequence: number }): void {
    this.#recovering.get(ack.group)?.recoverAck(ack)
  }

  #recoverAttempt(record: {
    group: string
    stream: string
    sequence: number
    attempt: number
  }): void {
    this.#recovering.get(record.group)?.recoverAttempt(record)
  }

  #stateOf(record: GroupRecord): ReactorGroupState {
    const { log, timers } = this.#options
    return new ReactorGroupState(record, { ledger: this.ledger, log, timers })
  }
}
