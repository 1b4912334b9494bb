import type { ServerWritableStream } from '@grpc/grpc-js'

/** Sends responses no faster than the caller takes them. */
export interface ResponseWriter {
  /** Resolves when there is room for the next response. */
  write(response: Buffer): Promise<void>
}

const roomBytes = 256 * 1024
const roomMessages = 64

/**
 * Bounds what waits for the network by bytes and by count: the stream's own mark counts messages
 * only, and sixteen messages of 16 MiB are too many.
 */
export function createResponseWriter(
  stream: ServerWritableStream<Buffer, Buffer>,
  signal: AbortSignal,
): ResponseWriter {
  let waitingBytes = 0
  let waitingMessages = 0
  let wake: (() => void) | undefined
  const full = (): boolean => waitingBytes >= roomBytes || waitingMessages >= roomMessages
  // After the caller left, grpc-js no longer answers writes: the signal is what ends the wait.
  signal.addEventListener('abort', () => wake?.(), { once: true })

  return {
    async write(response) {
      waitingBytes += response.length
      waitingMessages += 1
      stream.write(response, () => {
        waitingBytes -= response.length
        waitingMessages -= 1
        if (!full()) wake?.()
      })
      if (full() && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
