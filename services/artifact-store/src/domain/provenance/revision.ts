/** Where the event that states a fact is: `runs/<id>` and the like, 1-based. */
export interface EventPlace {
  readonly stream: string
  readonly position: number
}

/** One change of one path, as a stream states it. */
export interface FileChangeFact {
  readonly revisionId: string
  readonly effectId: string
  readonly workspaceId: string
  readonly path: string
  readonly change: 'created' | 'modified' | 'deleted'
  readonly sha256: string | null
  readonly previousSha256: string | null
  /** The path that the file came from, when this change moved it here. */
  readonly movedFrom: string | null
  /** The path that the file went to, when this change moved it away. */
  readonly movedTo: string | null
  readonly origin: string
  readonly callId: string
  readonly runId: string
  readonly executionId: string
  readonly at: string
  /** Place among the changes of its workspace; null while that stream was not read so far. */
  readonly order: number | null
  readonly event: EventPlace
}

/**
 * How a file began at its path: `path`, nothing was moved before; `moved`, it came from another path by that effect;
 * `successor`, the file before it had been moved away, and this is its first revision.
 */
export type Birth =
  | { readonly kind: 'path'; readonly key: string }
  | {
      readonly kind: 'moved'
      readonly key: string
      readonly fromPath: string
      readonly effectId: string
    }
  | { readonly kind: 'successor'; readonly key: string; readonly revisionId: string }

/** One content of a file. `unknown` origins have no event: nobody recorded how it came to be. */
export interface Revision {
  readonly id: string
  readonly workspaceId: string
  readonly path: string
  readonly sha256: string
  readonly origin: string
  readonly callId: string
  readonly runId: string
  readonly executionId: string
  readonly effectId: string
  readonly parentRevisionId: string | null
  readonly previousSha256: string | null
  /** The path it was moved from, when a move made this revision. */
  readonly movedFrom: string | null
  readonly birth: Birth
  readonly at: string
  readonly event: EventPlace | null
}
