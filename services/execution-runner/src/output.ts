import { type Readable } from 'node:stream'
import { type StoredOutput } from './domain/workspace/events.js'

/** Which of the two. */
export type OutputStream = 'stdout' | 'stderr'

/** What a reader is shown of an output. */
export interface OutputView {
  readonly stdoutBytes: number
  readonly stderrBytes: number
  readonly stdoutPreview: string
  readonly stderrPreview: string
  readonly truncated: boolean
  /** True when the middle of a stream was given up. */
  readonly retentionTruncated: boolean
}

/** A piece with its place in the whole. */
export interface OutputPiece {
  readonly offset: number
  readonly content: Uint8Array
}

/** Which bytes are wanted; `length` 0 means to the end. */
export interface OutputRange {
  readonly stream: OutputStream
  readonly offset: number
  readonly length: number
}

/** Which page of the log. */
export interface LogRange {
  readonly cursor: number
  /** Chunks at most. */
  readonly limit: number
  /** Each chunk is one line, or a part of a long one. */
  readonly byLine: boolean
}

/** A piece of one output, in whole characters; its cursor is a place in the order of both. */
export interface LogChunk {
  readonly cursor: number
  readonly stream: OutputStream
  readonly text: string
}

/** A page of both outputs in the order in which they came. */
export interface LogPage {
  readonly chunks: readonly LogChunk[]
  readonly nextCursor: number
  /** More is there already. */
  readonly truncated: boolean
  /** Something between the cursor and the end of the page was given up. */
  readonly retentionTruncated: boolean
}

/** The output of a running execution. */
export interface OutputRecorder extends AsyncDisposable {
  view(): OutputView
  /** Resolves when more was written, the recording ended, or the signal aborts. */
  changed(signal: AbortSignal): Promise<void>
  readonly ended: boolean
  read(range: OutputRange): AsyncIterable<OutputPiece>
  log(range: LogRange): Promise<LogPage>
  /** Puts what is retained into the blob store. */
  store(): Promise<StoredOutput>
}

/** Who is told of live output. */
export interface OutputListener {
  readonly runId: string
  readonly callId: string
  /** Told from time to time of a long output that what is named is stored: it would survive this machine. */
  readonly onStored: (output: StoredOutput) => Promise<void>
}

/** Records outputs and reads recorded ones. */
export interface OutputStore {
  /** Records both streams until they end. */
  record(streams: OutputSources, listener: OutputListener): OutputRecorder
  view(stored: StoredOutput | undefined): Promise<OutputView>
  log(stored: StoredOutput | undefined, range: LogRange): Promise<LogPage>
  read(stored: StoredOutput | undefined, range: OutputRange): AsyncIterable<OutputPiece>
}

export interface OutputSources {
  readonly stdout: Readable
  readonly stderr: Readable
  /** Where to spool: out of reach of the sandbox, unique for the execution. */
  readonly directory: string
  readonly name: string
}
