import { PassThrough } from 'node:stream'
import { EventEmitter } from 'node:events'
import { waitFor } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import type { ExitCode } from './context.js'
import type { StackFixture } from './stack-fixture.js'
import { runScid, type ScidProcess } from './scid.js'

/** For the tests of this folder: one command line that runs in this process. */
export interface Invocation {
  readonly exit: Promise<ExitCode>
  readonly stdout: () => string
  readonly stderr: () => string
  /** The lines of standard output, as JSON. */
  readonly events: () => readonly SeenEvent[]
  /** As if Ctrl-C were pressed. */
  interrupt(): void
  /** Resolves when standard error holds the text. */
  said(text: string): Promise<unknown>
  /** As if the reader of standard output left. */
  closeStdout(): void
}

const SeenEventSchema = z.looseObject({
  stream: z.string(),
  position: z.number(),
  type: z.string(),
  summary: z.string(),
  data: z.unknown(),
})
/** A line of `--json`. */
export type SeenEvent = z.infer<typeof SeenEventSchema>

/** Runs a command line; everything that is not given is refused. */
export function invoke(argv: readonly string[], given: Partial<ScidProcess> = {}): Invocation {
  const stdout = collector()
  const stderr = collector()
  const signals = new EventEmitter()
  const io: ScidProcess = {
    startLocal: () => Promise.reject(new Error('no stack may be started here')),
    isHeld: () => false,
    stdout: stdout.stream,
    stderr: stderr.stream,
    stdin: new PassThrough(),
    env: {},
    signals,
    ...given,
    patience: { pauseMs: 5, reconnectMs: 5_000, lateFactsMs: 200, ...given.patience },
  }
  return {
    exit: runScid(argv, io),
    stdout: stdout.text,
    stderr: stderr.text,
    events: () => stdout.text().split('\n').filter(Boolean).map(parseEvent),
    interrupt: () => void signals.emit('SIGINT'),
    said: (text) =>
      waitFor(() => stderr.text().includes(text), { what: `"${text}" on standard error` }),
    closeStdout: () => {
      const error = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
      stdout.stream.destroy(error)
    },
  }
}

/** Runs a command line against the fixture as a server. */
export function invokeAt(
  stack: StackFixture,
  argv: readonly string[],
  given: Partial<ScidProcess> = {},
): Invocation {
  const env = { SCIENCE_DISCOVERY_TOKEN: stack.token, ...given.env }
  return invoke([...argv, '--server', stack.address], { ...given, env })
}

function collector(): { readonly stream: PassThrough; readonly text: () => string } {
  const stream = new PassThrough()
  const pieces: Buffer[] = []
  stream.on('data', (piece: Buffer) => pieces.push(piece))
  return { stream, text: () => Buffer.concat(pieces).toString() }
}

function parseEvent(line: string): SeenEvent {
  return SeenEventSchema.parse(JSON.parse(line))
}

/** A JSON document as a record. */
export function parseRecord(text: string): Readonly<Record<string, unknown>> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text))
}
