import { isPlatformError, PlatformError } from '@sciencediscovery/kernel'
import { delay, type Channel, type Logger } from '@sciencediscovery/service-kit'
import { readEndpoint } from './endpoint-file.js'
import { openChannel, type StackAddress } from './open-channel.js'

/** A stack that runs in this process. */
export interface LocalStack extends AsyncDisposable {
  readonly address: string
  readonly token: string
}

/** Starts the stack of a data directory in this process, or throws when another process has it. */
export type StartLocal = (options: {
  readonly dataDir: string
  readonly logger: Logger
}) => Promise<LocalStack>

/** Whether a living process has the data directory. */
export type IsHeld = (dataDir: string) => boolean | Promise<boolean>

/** How the stack of a data directory is found or started. */
export interface LocalFinder {
  readonly dataDir: string
  readonly startLocal: StartLocal
  readonly isHeld: IsHeld
  readonly logger: Logger
  /** How long a holder of the directory may take until it answers. */
  readonly findTimeoutMs: number
}

/** A way to the local stack; `own` when this process started it. */
export interface FoundStack {
  readonly channel: Channel
  readonly own: LocalStack | undefined
}

const pauseMs = 50

/**
 * The stack of the data directory. Only its lock says whether one lives: the endpoint file may be
 * left over, and its holder may still be starting, or stopping.
 */
export async function findLocal(finder: LocalFinder, signal: AbortSignal): Promise<FoundStack> {
  const until = performance.now() + finder.findTimeoutMs
  const trials: Trials = { failure: undefined }
  do {
    const held = await finder.isHeld(finder.dataDir)
    const found = await (held ? joinHolder : startOwn)(finder, trials, signal)
    if (found) return found
    await delay(pauseMs, signal)
  } while (performance.now() < until)
  throw await unusable(finder, trials.failure)
}

/** What went wrong last, for the error in the end. */
interface Trials {
  failure: unknown
}

async function joinHolder(
  { dataDir }: LocalFinder,
  trials: Trials,
  signal: AbortSignal,
): Promise<FoundStack | undefined> {
  const endpoint = await readEndpoint(dataDir)
  if (!endpoint) return undefined
  try {
    return { channel: await openChannel(endpoint, signal), own: undefined }
  } catch (error) {
    if (signal.aborted || !isPlatformError(error) || error.code !== 'unavailable') throw error
    trials.failure = error
    return undefined
  }
}

async function startOwn(
  { dataDir, startLocal, isHeld, logger }: LocalFinder,
  trials: Trials,
  signal: AbortSignal,
): Promise<FoundStack | undefined> {
  let own: LocalStack
  try {
    own = await startLocal({ dataDir, logger })
  } catch (error) {
    // Another process was quicker, or was only looking: its stack is as good, or the way is free now.
    if (!isLocked(error) && !(await isHeld(dataDir))) throw error
    trials.failure = error
    return undefined
  }
  return { channel: await openOwn(own, signal), own }
}

function isLocked(error: unknown): boolean {
  return isPlatformError(error) && error.details.reason === 'directory_locked'
}

async function openOwn(own: LocalStack, signal: AbortSignal): Promise<Channel> {
  try {
    return await openChannel(addressOf(own), signal)
  } catch (error) {
    await own[Symbol.asyncDispose]()
    throw error
  }
}

function addressOf({ address, token }: LocalStack): StackAddress {
  return { address, token }
}

async function unusable({ dataDir }: LocalFinder, cause: unknown): Promise<PlatformError> {
  const endpoint = await readEndpoint(dataDir)
  const holder = endpoint ? `process ${endpoint.pid}` : 'a process that wrote no endpoint'
  const why = cause instanceof Error ? `: ${cause.message}` : ''
  return new PlatformError('unavailable', `the stack in ${dataDir} does not answer${why}`, {
    field: '--data-dir',
    remedy: `stop ${holder}, or use another --data-dir`,
    cause,
  })
}
