import { Worker } from 'node:worker_threads'
import { PlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'

/** Content that the worker found: as bytes, or as a path to read. */
const ItemSchema = z.union([
  z.object({ digest: z.string(), content: z.instanceof(Uint8Array) }),
  z.object({ path: z.string(), sizeBytes: z.number() }),
])
export type FoundContent = z.infer<typeof ItemSchema>

const AnswerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('contents'), id: z.number(), items: z.array(ItemSchema) }),
  z.object({ kind: z.literal('done'), id: z.number(), result: z.unknown() }),
  z.object({ kind: z.literal('failed'), id: z.number(), message: z.string(), code: z.unknown() }),
])

interface Pending {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
  /** Gives the digests of what was stored. */
  readonly onContents: (items: readonly FoundContent[]) => Promise<readonly string[]>
}

/** Asks the snapshot worker, and stores what it finds before it goes on. */
export class SnapshotWorker implements AsyncDisposable {
  readonly #worker = new Worker(new URL('./snapshot-worker.js', import.meta.url))
  readonly #pending = new Map<number, Pending>()
  #lastId = 0

  constructor() {
    this.#worker.on('message', (message) => {
      this.#answer(AnswerSchema.parse(message))
    })
    this.#worker.on('error', (error) => {
      this.#failAll(error)
    })
    this.#worker.on('exit', () => {
      this.#failAll(new Error('the snapshot worker ended'))
    })
    this.#worker.unref()
  }

  ask(
    message: Readonly<Record<string, unknown>>,
    onContents: Pending['onContents'] = () => Promise.resolve([]),
  ): Promise<unknown> {
    const id = (this.#lastId += 1)
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, onContents })
      this.#worker.ref()
      this.#worker.postMessage({ ...message, id })
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }

  #answer(answer: z.infer<typeof AnswerSchema>): void {
    const pending = this.#pending.get(answer.id)
    if (!pending) return
    if (answer.kind === 'contents') {
      pending.onContents(answer.items).then(
        (digests) => {
          this.#worker.postMessage({ kind: 'next', id: answer.id, digests })
        },
        (error: unknown) => {
          this.#settle(answer.id)
          pending.reject(error instanceof Error ? error : new Error(String(error)))
        },
      )
      return
    }
    this.#settle(answer.id)
    if (answer.kind === 'done') pending.resolve(answer.result)
    else pending.reject(failure(answer.message))
  }

  #settle(id: number): void {
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.#worker.unref()
  }

  #failAll(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(failure(error.message))
    this.#pending.clear()
  }
}

function failure(message: string): PlatformError {
  return new PlatformError('unavailable', `the workspace cannot be read: ${message}`)
}
