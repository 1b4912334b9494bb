import { closeSync, constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { type Readable } from 'node:stream'

/** The reading end of a named pipe, for one execution. */
export interface OutputPipe {
  readonly stream: Readable
  /** Lets the stream end once everything is read; to be called when no other writer is left. */
  finish(): void
}

/**
 * A pipe and not a socket pair, which Node would give: programs open /dev/stdout again, and a socket
 * refuses that. Our own writing end keeps the stream open until the process tree is gone.
 */
export function openOutputPipe(path: string): OutputPipe {
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writeEnd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  const stream = new Socket({ fd: readEnd, readable: true, writable: false })
  return {
    stream,
    finish: () => {
      closeSync(writeEnd)
    },
  }
}
