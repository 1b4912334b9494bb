import { type EventPorts } from '@sciencediscovery/event-store'

/** One backend, and as many clients of it as a test asks for. */
export interface StoreWorld extends AsyncDisposable {
  /** Ports of their own, as another process would have them. */
  connect(): Promise<EventPorts>
  /** The ack wait to ask for: short, so that tests need not wait. */
  readonly ackWaitMs: number
}

/** The world that `beforeAll` opened; looked up when a test runs. */
export type CurrentWorld = () => StoreWorld

/** Lets go of everything a client holds. */
export async function disconnect(...clients: readonly EventPorts[]): Promise<void> {
  for (const { store, queue, signals } of clients) {
    await store[Symbol.asyncDispose]()
    await queue[Symbol.asyncDispose]()
    await signals[Symbol.asyncDispose]()
  }
}
