import { toPlatformError } from '@sciencediscovery/kernel'

/** What was built, to be taken down in reverse. Node 20 has no AsyncDisposableStack. */
export interface Lifecycle extends AsyncDisposable {
  /** Takes charge of a resource and gives it back. */
  use<T extends AsyncDisposable | Disposable>(resource: T): T
  /** Runs this when its turn to be taken down comes. */
  defer(dispose: () => unknown): void
}

/** An empty stack of disposers. Each runs once; one that throws stops none of the others. */
export function createLifecycle(): Lifecycle {
  const disposers: (() => unknown)[] = []
  return {
    use(resource) {
      disposers.push(() => dispose(resource))
      return resource
    },
    defer(disposer) {
      disposers.push(disposer)
    },
    async [Symbol.asyncDispose]() {
      const failures: Error[] = []
      for (let next = disposers.pop(); next; next = disposers.pop()) {
        try {
          await next()
        } catch (error) {
          failures.push(error instanceof Error ? error : toPlatformError(error))
        }
      }
      if (failures.length === 1 && failures[0]) throw failures[0]
      if (failures.length > 1)
        throw new AggregateError(failures, 'several parts did not stop cleanly')
    },
  }
}

function dispose(resource: AsyncDisposable | Disposable): unknown {
  if (Symbol.asyncDispose in resource) return resource[Symbol.asyncDispose]()
  resource[Symbol.dispose]()
  return undefined
}
