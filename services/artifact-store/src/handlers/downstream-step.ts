import { type Activity } from '../domain/provenance/activity.js'
import { type FileHistory } from '../domain/provenance/history.js'
import { type JudgedInput } from '../domain/provenance/judge-input.js'
import { type FilePlace, type PlacedContent } from '../projections/provenance-queries.js'

/** A content of a file, by the revision that it is. */
export interface UsedContent extends PlacedContent {
  readonly revisionId: string
}

/** An activity that used something, and what it made. */
export interface DownstreamStep {
  /** 1 for what used the content itself. */
  readonly hop: number
  readonly activity: Activity
  readonly inputs: readonly JudgedInput[]
  readonly outputs: readonly UsedContent[]
  /** Files that it made beyond those. */
  readonly outputsOmitted: number
}

/** What is looked at in one hop. */
export interface Frontier {
  readonly contents: ReadonlyMap<string, UsedContent>
  readonly historyAt: (place: FilePlace) => FileHistory
}
