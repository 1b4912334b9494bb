import { PlatformError } from '@sciencediscovery/kernel'
import { type Position } from './position.js'
import { type WaitForPositionOptions } from './position-waiter.js'
import { runView, type RunViewOptions, type StreamStatus } from './run-view.js'
import { type View } from './view.js'

/** All views of a service. */
export interface RunningViews extends AsyncDisposable {
  status(): Promise<readonly StreamStatus[]>
  waitForPosition(view: string, position: Position, options?: WaitForPositionOptions): Promise<void>
}

/** Keeps all views of a service up to date; they do not wait for one another. */
export function runViews<Schema>(
  options: Omit<RunViewOptions<Schema>, 'view'> & { readonly views: readonly View<Schema>[] },
): RunningViews {
  const running = new Map(options.views.map((view) => [view.name, runView({ ...options, view })]))
  return {
    status: async () =>
      (await Promise.all([...running.values()].map((view) => view.status()))).flat(),
    waitForPosition: async (name, position, waitOptions) => {
      const view = running.get(name)
      if (view === undefined) throw new PlatformError('bug', `no view ${name} runs here`)
      await view.waitForPosition(position, waitOptions)
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...running.values()].map((view) => view[Symbol.asyncDispose]()))
    },
  }
}
