import { type Readable } from 'node:stream'
import { type BlobStore } from '@sciencediscovery/blob-store'
import { maxInlineItems } from '@sciencediscovery/run-events'
import { type StoredOutput } from '../../domain/workspace/events.js'
import {
  type LogPage,
  type LogRange,
  type OutputPiece,
  type OutputRange,
  type OutputRecorder,
  type OutputStream,
  type OutputView,
} from '../../output.js'
import { Pulse } from '../../pulse.js'
import { ArrivalOrder } from './arrival-order.js'
import { ByteWindow } from './byte-window.js'
import { LiveText, type PublishPiece } from './live-text.js'
import { type Manifest, maxInlineOutputBytes } from './manifest.js'
import { type Preview, previewOf } from './preview.js'
import { readLog } from './read-log.js'
import { RunningStorage } from './running-storage.js'
import { SegmentStore } from './segment-store.js'
import { type Spool } from './spool.js'

/** What a recorder works with. */
export interface RecorderParts {
  readonly blobs: BlobStore
  readonly spools: Readonly<Record<OutputStream, Spool>>
  readonly publish: PublishPiece
  /** Told of what is stored while more is written. */
  readonly onStored: (output: StoredOutput) => Promise<void>
  readonly previewBytes: number
}

const pieceBytes = 64 * 1024

/** Spools both streams of one execution, shows their ends, and stores them when they are over. */
export class Recorder implements OutputRecorder {
  readonly #parts: RecorderParts
  readonly #live: LiveText
  readonly #windows: Readonly<Record<OutputStream, ByteWindow>>
  readonly #order = new ArrivalOrder()
  readonly #segments: SegmentStore
  readonly #storage: RunningStorage
  #followed: Promise<unknown> = Promise.resolve()
  readonly #pulse = new Pulse()
  ended = false

  constructor(parts: RecorderParts) {
    this.#parts = parts
    this.#live = new LiveText(parts.publish)
    // Escape codes and redrawn lines take more room than what is left of them.
    const kept = parts.previewBytes * 2
    this.#windows = { stdout: new ByteWindow(kept, kept), stderr: new ByteWindow(kept, kept) }
    this.#segments = new SegmentStore(parts.blobs, parts.spools)
    this.#storage = new RunningStorage(this.#segments, async () => {
      await parts.onStored(await this.#storeManifest())
    })
  }

  follow(stdout: Readable, stderr: Readable): void {
    this.#followed = Promise.all([
      this.#drain('stdout', stdout),
      this.#drain('stderr', stderr),
    ]).finally(() => {
      this.ended = true
      this.#live[Symbol.dispose]()
      this.#pulse.beat()
    })
    this.#followed.catch(() => undefined)
  }

  view(): OutputView {
    const [out, err] = [this.#preview('stdout'), this.#preview('stderr')]
    const { stdout, stderr } = this.#parts.spools
    return {
      stdoutBytes: this.#windows.stdout.totalBytes,
      stderrBytes: this.#windows.stderr.totalBytes,
      stdoutPreview: out.text,
      stderrPreview: err.text,
      truncated: out.truncated || err.truncated,
      retentionTruncated: stdout.hasGap || stderr.hasGap,
    }
  }

  changed(signal: AbortSignal): Promise<void> {
    return this.#pulse.next(signal)
  }

  log(range: LogRange): Promise<LogPage> {
    const read = (wanted: OutputRange): AsyncIterable<OutputPiece> => this.read(wanted)
    return readLog({ runs: [...this.#order.runs()], read }, range)
  }

  async *read({ stream, offset, length }: OutputRange): AsyncGenerator<OutputPiece> {
    const spool = this.#parts.spools[stream]
    const end = length === 0 ? spool.totalBytes : Math.min(spool.totalBytes, offset + length)
    for (let at = offset; ;) {
      const range = spool.retainedFrom(at)
      if (!range || range.offset >= end) return
      const wanted = Math.min(pieceBytes, Math.min(end, range.endOffset) - range.offset)
      const content = await spool.read(range.offset, wanted)
      // It was overwritten in between: what is retained begins later now.
      if (content.length > 0) yield { offset: range.offset, content }
      at = range.offset + content.length
    }
  }

  async store(): Promise<StoredOutput> {
    await this.#followed
    await this.#storage.end()
    const { stdout, stderr } = this.#parts.spools
    const runs = [...this.#order.runs()]
    const isShort = stdout.totalBytes + stderr.totalBytes <= maxInlineOutputBytes
    if (isShort && runs.length <= maxInlineItems) {
      const contents = [await this.#whole('stdout'), await this.#whole('stderr')]
      const [out = '', err = ''] = contents.map((content) => content.toString('base64'))
      return { inline: { stdout: out, stderr: err, ...(runs.length > 1 && { runs }) } }
    }
    await this.#segments.storeRest()
    return this.#storeManifest()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#storage.end()
    await this.#parts.spools.stdout[Symbol.asyncDispose]()
    await this.#parts.spools.stderr[Symbol.asyncDispose]()
  }

  /** Reading waits for the disk: a flood fills the pipe, not our memory. */
  async #drain(stream: OutputStream, source: Readable): Promise<void> {
    const chunks: AsyncIterable<Buffer> = source
    for await (const chunk of chunks) {
      await this.#parts.spools[stream].append(chunk)
      this.#order.add(stream, chunk)
      this.#windows[stream].add(chunk)
      this.#live.add(stream, chunk)
      this.#storage.grown(chunk.length)
      this.#pulse.beat()
    }
    this.#order.end(stream)
  }

  #preview(stream: OutputStream): Preview {
    return previewOf(this.#windows[stream], this.#parts.previewBytes)
  }

  #whole(stream: OutputStream): Promise<Buffer> {
    const spool = this.#parts.spools[stream]
    return spool.readFully(0, spool.totalBytes)
  }

  async #storeManifest(): Promise<StoredOutput> {
    const manifest: Manifest = {
      format: 1,
      stdout: this.#manifestOf('stdout'),
      stderr: this.#manifestOf('stderr'),
      runs: [...this.#order.runs()],
    }
    const content = Buffer.from(JSON.stringify(manifest))
    const { digest, sizeBytes } = await this.#parts.blobs.put(content)
    return { manifest: { digest, sizeBytes, mediaType: 'application/json', preview: '' } }
  }

  #manifestOf(stream: OutputStream): Manifest['stdout'] {
    const { text, truncated } = this.#preview(stream)
    const sizeBytes = this.#parts.spools[stream].totalBytes
    return { sizeBytes, preview: text, truncated, segments: [...this.#segments.segments(stream)] }
  }
}
