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

/** The output of a running execution. */
export interface OutputRecorder extends AsyncDisposable {
  view(): OutputView
  /** Resolves when more was written, the recording ended, or the signal aborts. */
  changed(signal: AbortSignal): Promise<void>
  readonly ended: boolean
  read(range: OutputRange): AsyncIterable<OutputPiece>
  /** Puts what is retained into the blob store. */
  store(): Promise<StoredOutput>
}

/** Who is told of live output. */
export interface OutputListener {
  readonly runId: string
  readonly callId: string
}

/** Records outputs and reads recorded ones. */
export interface OutputStore {
  /** Records both streams until they end. */
  record(streams: OutputSources, listener: OutputListener): OutputRecorder
  view(stored: StoredOutput | undefined): Promise<OutputView>
  read(stored: StoredOutput | undefined, range: OutputRange): AsyncIterable<OutputPiece>
}

export interface OutputSources {
  readonly stdout: Readable
  readonly stderr: Readable
  /** Where to spool: out of reach of the sandbox, unique for the execution. */
  readonly directory: string
  readonly name: string
}
