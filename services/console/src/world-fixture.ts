import type { PlayedRun } from './played-run-fixture.js'

/** For the tests of this folder: what a run does after it was started. */
export type Play = (run: PlayedRun) => Promise<void>

/** For the tests of this folder: what the stack was asked and what it knows. */
export interface World {
  readonly runs: Map<string, PlayedRun>
  readonly asked: { readonly method: string; readonly request: unknown }[]
  readonly files: Map<string, Buffer>
  readonly play: Play
}
