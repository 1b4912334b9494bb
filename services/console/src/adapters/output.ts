import type { Writable } from 'node:stream'
import { PlatformError } from '@sciencediscovery/kernel'
import pc from 'picocolors'
import { printable } from '../commands/print/printable.js'
import type { Output } from '../context.js'

/** A stream that may be a terminal. */
export type TextStream = Writable & {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** Where the output goes and whether it may be coloured. */
export interface OutputOptions {
  readonly stdout: TextStream
  readonly stderr: TextStream
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Reason of the error that ends a command whose output nobody reads. */
export const outputClosed = 'output_closed'

/** Output to a pair of streams that survives the reader leaving. */
export function createOutput({ stdout, stderr, env }: OutputOptions): Output {
  const closed = new AbortController()
  const close = (): void => {
    if (!closed.signal.aborted) closed.abort(nobodyReads())
  }
  // Never taken off again: what was written last may fail after the command ended.
  stdout.on('error', close)
  stderr.on('error', () => undefined)
  const isTerminal = stdout.isTTY === true
  let held: (string | Uint8Array)[] | undefined

  return {
    isTerminal,
    colors: pc.createColors(mayColour(isTerminal, env)),
    closed: closed.signal,
    async write(content) {
      closed.signal.throwIfAborted()
      if (held) held.push(content)
      else if (!(await writeAll(stdout, content, closed.signal))) {
        close()
        throw nobodyReads()
      }
    },
    async writeError(content) {
      await writeAll(stderr, content, closed.signal)
    },
    note: (text) => void stderr.write(`${printable(text)}\n`),
    hold() {
      if (!isTerminal) return () => undefined
      held ??= []
      return () => {
        const kept = held ?? []
        held = undefined
        for (const content of kept) stdout.write(content)
      }
    },
  }
}

/**
 * Whether the stream took the content; waits for it, so that memory stays bounded when the reader is
 * slow. A pipe tells its writer before it tells the world: the answer of the write counts as well.
 */
function writeAll(
  stream: Writable,
  content: string | Uint8Array,
  closed: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    const onClosed = (): void => {
      resolve(false)
    }
    closed.addEventListener('abort', onClosed, { once: true })
    stream.write(content, (error) => {
      closed.removeEventListener('abort', onClosed)
      resolve(!error)
    })
  })
}

function nobodyReads(): PlatformError {
  return new PlatformError('cancelled', 'nobody reads the output any more', {
    reason: outputClosed,
  })
}

function mayColour(isTerminal: boolean, env: OutputOptions['env']): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false
  if ((env['FORCE_COLOR'] ?? '') !== '') return env['FORCE_COLOR'] !== '0'
  return isTerminal && env['TERM'] !== 'dumb'
}
