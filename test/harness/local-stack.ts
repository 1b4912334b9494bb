import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { EventEmitter } from 'node:events'
import { runScid } from '@sciencediscovery/console'
import { startStack } from '@sciencediscovery/local'
import {
  type AuthVariables,
  type Channel,
  type Logger,
  connectChannel,
} from '@sciencediscovery/service-kit'

/** One line of `scid … --json`. */
export interface EventLine {
  readonly stream: string
  readonly position: number
  readonly type: string
  readonly time: string
  readonly summary: string
  readonly data: Readonly<Record<string, unknown>>
}

/** What a command left behind. */
export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A local stack in this process, and the command line against it. */
export interface TestStack extends AsyncDisposable {
  readonly address: string
  readonly token: string
  readonly dataDir: string
  /** A channel with the stack's token. */
  readonly channel: Channel
  scid(...args: readonly string[]): Promise<Outcome>
  /** Takes the stack down and starts it again on the same data. */
  restart(): Promise<void>
}

const quiet: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => quiet,
}

/** Starts all services on embedded defaults in a directory of its own. */
export async function startTestStack(
  options: {
    readonly logger?: Logger
    readonly auth?: AuthVariables
    readonly pools?: readonly string[]
  } = {},
): Promise<TestStack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'scid-e2e-'))
  const { logger = quiet, auth, pools } = options
  let stack = await startStack({ dataDir, logger, auth, pools })
  const open = (): Channel => connectChannel(stack.address, { token: stack.token })
  let channel = open()
  return {
    get address() {
      return stack.address
    },
    get token() {
      return stack.token
    },
    get channel() {
      return channel
    },
    dataDir,
    scid: (...args) => scid({ address: stack.address, token: stack.token }, args),
    async restart() {
      channel.close()
      await stack[Symbol.asyncDispose]()
      stack = await startStack({ dataDir, logger, pools })
      channel = open()
    },
    async [Symbol.asyncDispose]() {
      channel.close()
      await stack[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Runs one command line in this process. */
export async function scid(
  server: { readonly address: string; readonly token: string },
  args: readonly string[],
): Promise<Outcome> {
  const { code, out, err } = await invoke(server, args)
  return { code, stdout: out.bytes().toString('utf8'), stderr: err.bytes().toString('utf8') }
}

async function invoke(
  server: { readonly address: string; readonly token: string },
  args: readonly string[],
): Promise<{ readonly code: number; readonly out: Collector; readonly err: Collector }> {
  const out = collector()
  const err = collector()
  const code = await runScid([...args, '--server', server.address], {
    startLocal: () => Promise.reject(new Error('the stack runs already')),
    isHeld: () => false,
    stdout: out.stream,
    stderr: err.stream,
    stdin: Readable.from([]),
    env: { SCIENCE_DISCOVERY_TOKEN: server.token },
    signals: new EventEmitter(),
  })
  return { code, out, err }
}

/** Runs one command line, and gives what it wrote as bytes. */
export async function scidBytes(
  { address, token }: { readonly address: string; readonly token: string },
  args: readonly string[],
): Promise<{ readonly code: number; readonly stdout: Buffer; readonly stderr: Buffer }> {
  const outcome = await invoke({ address, token }, args)
  return { code: outcome.code, stdout: outcome.out.bytes(), stderr: outcome.err.bytes() }
}

interface Collector {
  readonly stream: PassThrough
  readonly bytes: () => Buffer
}

function collector(): Collector {
  const stream = new PassThrough()
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return { stream, bytes: () => Buffer.concat(chunks) }
}

/** The events of `--json` output. */
export function eventsOf(outcome: Outcome): EventLine[] {
  return outcome.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as EventLine)
}
