import { type Step, type StepResult } from '../attack-case.js'

/** A sandbox that attacks are played against, one workspace per case. */
export interface Contestant extends AsyncDisposable {
  readonly name: string
  play(steps: readonly Step[]): Promise<Played>
}

export interface Played {
  readonly results: readonly StepResult[]
  readonly workspaceBytes: number
  /** Whatever was collected from the workspace afterwards, as text. */
  readonly collected: string
}
