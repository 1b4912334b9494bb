/** One fact as it is stored: the wire name, its schema version and its payload. */
export interface RecordedEvent {
  readonly type: string
  readonly v: number
  readonly data: unknown
}

/** One decision: 1..n events of one aggregate that landed together. The unit of append and delivery. */
export interface Commit {
  /** hash(subject, commandId): also the message id, so that a retry is recognised. */
  readonly commitId: string
  /** The aggregate: `runs.<shard>.<projectId>.<runId>`, `sessions.<projectId>.<sessionId>` … */
  readonly subject: string
  /** 1 for the first commit of the subject, then dense. */
  readonly version: number
  /** The commit before it on the subject: a gap or a fork is refused by the fold. */
  readonly previousId: string | null
  /** 1-based number, within the subject, of the first event in this commit: dense and equal on every backend. */
  readonly firstPosition: number
  readonly commandId: string
  /** The commit or request that caused this one. */
  readonly causationId: string
  /** The run (or request) that everything belongs to. */
  readonly correlationId: string
  /** The replica that appended it. */
  readonly writer: string
  /** ISO-8601, for people; order comes from the stream only. */
  readonly recordedAt: string
  /** What the request of an idempotency key asked for: the key stands for that and nothing else. */
  readonly requestDigest?: string
  /** W3C trace context of the writer. */
  readonly traceparent?: string
  readonly events: readonly RecordedEvent[]
}

/** A commit with its place in the physical stream. */
export interface StoredCommit {
  readonly commit: Commit
  /** The physical stream: `RUNS_0`, `SESSIONS` … */
  readonly stream: string
  /** Place in the physical stream, 1-based and rising, not dense per subject. */
  readonly sequence: number
}

/** A commit may be at most this large when encoded, in bytes (architecture, rule 6). */
export const maxCommitBytes = 512 * 1024
