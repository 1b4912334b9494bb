import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { Command, CommanderError } from 'commander'
import { isPlatformError } from '@sciencediscovery/kernel'
import { createLogger, type Environment } from '@sciencediscovery/service-kit'
import { createClackTerminal } from './adapters/clack-terminal.js'
import type { IsHeld, StartLocal } from './adapters/find-local.js'
import { createInterrupts, type SignalSource } from './adapters/interrupts.js'
import { createLocalFiles } from './adapters/local-files.js'
import { isAddress } from './adapters/open-channel.js'
import { createOutput, outputClosed, type TextStream } from './adapters/output.js'
import { createStack } from './adapters/stack.js'
import { TargetSchema, type Action } from './commands/command.js'
import { commands } from './commands/index.js'
import { errorLine, exitCodeOfError } from './commands/print/error-line.js'
import { usageError } from './commands/usage-error.js'
import { loadCliConfig } from './config.js'
import type { ExitCode, Output, Patience } from './context.js'

/** Everything of the process that the command line uses; it touches nothing else of it. */
export interface ScidProcess {
  /** Starts the stack of a data directory in this process. */
  readonly startLocal: StartLocal
  /** Whether a living process holds the data directory. */
  readonly isHeld: IsHeld
  readonly stdout: TextStream
  readonly stderr: TextStream
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined }
  readonly env: Environment
  /** `process`, for Ctrl-C and SIGTERM. */
  readonly signals: SignalSource
  readonly version?: string | undefined
  readonly patience?: Partial<Patience> | undefined
}

const defaultPatience: Patience = { reconnectMs: 60_000, pauseMs: 100, lateFactsMs: 1_000 }
// A first start makes an empty database, which takes a while on a busy machine.
const findTimeoutMs = 120_000
const narrowest = 20

/** Runs one command line (without node and script) and gives its exit code: 0 done, 1 failed, 2 used wrongly, 130 stopped. */
export async function runScid(argv: readonly string[], io: ScidProcess): Promise<ExitCode> {
  const output = createOutput(io)
  let exitCode: ExitCode = 0
  const program = createProgram(io)
  for (const register of commands) {
    register(program, async (options, action) => {
      exitCode = await runAction(io, output, { options, action })
    })
  }
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (isPlatformError(error) && error.details.reason === outputClosed) return 0
    output.note(errorLine(error))
    return exitCodeOfError(error)
  }
}

function createProgram({ stdout, stderr, version = '0.1.0' }: ScidProcess): Command {
  return new Command('scid')
    .description('ScienceDiscovery: hand over a task, follow it, and see how its results were made')
    .version(version)
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError('(scid --help, or scid COMMAND --help)')
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
    })
}

interface Launched {
  readonly options: unknown
  readonly action: Action
}

async function runAction(
  io: ScidProcess,
  output: Output,
  { options, action }: Launched,
): Promise<ExitCode> {
  const target = TargetSchema.parse(options)
  const logger = createLogger('scid', { level: 'warn', destination: io.stderr })
  const { dataDir, token } = loadCliConfig(io.env, logger)
  checkServer(target.server)
  const createKey = (): string => randomUUID()
  using interrupts = createInterrupts(io.signals)
  await using stack = createStack({
    server: target.server === undefined ? undefined : { address: target.server, token },
    dataDir: resolve(target.dataDir ?? dataDir),
    startLocal: io.startLocal,
    isHeld: io.isHeld,
    logger,
    findTimeoutMs,
  })
  return await action({
    stack,
    output,
    terminal: isAtTerminal(io) ? createClackTerminal(io.stdin, io.stderr) : undefined,
    interrupts,
    files: createLocalFiles(createKey),
    patience: { ...defaultPatience, ...io.patience },
    createKey,
  })
}

/** A question needs keys, a screen, and room on it: some pseudo-terminals have no columns. */
function isAtTerminal({ stdin, stderr }: ScidProcess): boolean {
  return stdin.isTTY === true && stderr.isTTY === true && (stderr.columns ?? 80) >= narrowest
}

function checkServer(server: string | undefined): void {
  if (server === undefined || isAddress(server)) return
  throw usageError('--server', `${JSON.stringify(server)} is no address`, 'give host:port')
}
