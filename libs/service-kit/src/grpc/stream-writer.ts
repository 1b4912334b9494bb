/** Sends messages no faster than the other side takes them. */
export interface StreamWriter {
  /** Resolves when there is room for the next message, or nobody takes any more. */
  write(message: Buffer): Promise<void>
}

/** What both ends of grpc-js have in common. */
interface Sink {
  write(message: Buffer, written: () => void): unknown
}

const roomBytes = 256 * 1024
const roomMessages = 64

/**
 * Bounds what waits for the network by bytes and by count: the stream's own mark counts messages
 * only, and sixteen messages of 16 MiB are too many.
 */
export function createStreamWriter(sink: Sink, ended: AbortSignal): StreamWriter {
  let waitingBytes = 0
  let waitingMessages = 0
  let wake: (() => void) | undefined
  const full = (): boolean => waitingBytes >= roomBytes || waitingMessages >= roomMessages
  // Once the call has ended, grpc-js no longer answers writes: the signal is what ends the wait.
  ended.addEventListener('abort', () => wake?.(), { once: true })

  return {
    async write(message) {
      waitingBytes += message.length
      waitingMessages += 1
      sink.write(message, () => {
        waitingBytes -= message.length
        waitingMessages -= 1
        if (!full()) wake?.()
      })
      if (full() && !ended.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
