import type { Writable } from 'node:stream'
import { PlatformError } from '@sciencediscovery/kernel'
import pc from 'picocolors'
import { printable } from '../commands/print/printable.js'
import type { Output } from '../context.js'

/** A stream that may be a terminal. */
export type TextStream = Writable & { readonly isTTY?: boolean | undefined }

/** Where the output goes and whether it may be coloured. */
export interface OutputOptions {
  readonly stdout: TextStream
  readonly stderr: TextStream
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Reason of the error that ends a command whose output nobody reads. */
export const outputClosed = 'output_closed'

/** Output to a pair of streams that survives the reader leaving. */
export function createOutput({ stdout, stderr, env }: OutputOptions): Output & Disposable {
  const closed = new AbortController()
  const close = (): void => {
    closed.abort(
      new PlatformError('cancelled', 'nobody reads the output any more', { reason: outputClosed }),
    )
  }
  const ignore = (): void => undefined
  stdout.on('error', close)
  stderr.on('error', ignore)
  const isTerminal = stdout.isTTY === true
  let held: (string | Uint8Array)[] | undefined

  return {
    isTerminal,
    colors: pc.createColors(mayColour(isTerminal, env)),
    closed: closed.signal,
    async write(content) {
      closed.signal.throwIfAborted()
      if (held) held.push(content)
      else await writeAll(stdout, content, closed.signal)
    },
    note: (text) => void stderr.write(`${printable(text)}\n`),
    hold() {
      held ??= []
      return () => {
        const kept = held ?? []
        held = undefined
        for (const content of kept) stdout.write(content)
      }
    },
    [Symbol.dispose]() {
      stdout.off('error', close)
      stderr.off('error', ignore)
    },
  }
}

/** Waits until the stream took the content: memory stays bounded when the reader is slow. */
function writeAll(
  stream: Writable,
  content: string | Uint8Array,
  closed: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onClosed = (): void => {
      reject(reasonOf(closed))
    }
    closed.addEventListener('abort', onClosed, { once: true })
    stream.write(content, (error) => {
      closed.removeEventListener('abort', onClosed)
      if (!error) resolve()
    })
  })
}

function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason
  return reason instanceof Error ? reason : new Error('closed')
}

function mayColour(isTerminal: boolean, env: OutputOptions['env']): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false
  if ((env['FORCE_COLOR'] ?? '') !== '') return env['FORCE_COLOR'] !== '0'
  return isTerminal && env['TERM'] !== 'dumb'
}
