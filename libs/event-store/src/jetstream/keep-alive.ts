/** Sends a sign of life three times per ack wait until disposed. */
export function keepAlive(ackWaitMs: number, beat: () => void): Disposable {
  const timer = setInterval(() => {
    try {
      beat()
    } catch {
      // The connection is closed: the server will notice the silence, which is the right thing.
      clearInterval(timer)
    }
  }, ackWaitMs / 3)
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer)
    },
  }
}
