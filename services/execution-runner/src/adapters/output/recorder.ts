import { type Readable } from 'node:stream'
import { type BlobStore } from '@sciencediscovery/blob-store'
import { type StoredOutput } from '../../domain/workspace/events.js'
import {
  type OutputPiece,
  type OutputRange,
  type OutputRecorder,
  type OutputStream,
  type OutputView,
} from '../../output.js'
import { Pulse } from '../../pulse.js'
import { ByteWindow } from './byte-window.js'
import { LiveText, type PublishPiece } from './live-text.js'
import { type Manifest, maxInlineOutputBytes } from './manifest.js'
import { type Preview, previewOf } from './preview.js'
import { type Spool } from './spool.js'

/** What a recorder works with. */
export interface RecorderParts {
  readonly blobs: BlobStore
  readonly spools: Readonly<Record<OutputStream, Spool>>
  readonly publish: PublishPiece
  readonly previewBytes: number
}

const segmentBytes = 1024 * 1024
const pieceBytes = 64 * 1024

/** Spools both streams of one execution, shows their ends, and stores them when they are over. */
export class Recorder implements OutputRecorder {
  readonly #parts: RecorderParts
  readonly #live: LiveText
  readonly #windows: Readonly<Record<OutputStream, ByteWindow>>
  #followed: Promise<unknown> = Promise.resolve()
  readonly #pulse = new Pulse()
  ended = false

  constructor(parts: RecorderParts) {
    this.#parts = parts
    this.#live = new LiveText(parts.publish)
    // Escape codes and redrawn lines take more room than what is left of them.
    const kept = parts.previewBytes * 2
    this.#windows = { stdout: new ByteWindow(kept, kept), stderr: new ByteWindow(kept, kept) }
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
    return {
      stdoutBytes: this.#windows.stdout.totalBytes,
      stderrBytes: this.#windows.stderr.totalBytes,
      stdoutPreview: out.text,
      stderrPreview: err.text,
      truncated: out.truncated || err.truncated,
    }
  }

  changed(signal: AbortSignal): Promise<void> {
    return this.#pulse.next(signal)
  }

  async *read({ stream, offset, length }: OutputRange): AsyncGenerator<OutputPiece> {
    const spool = this.#parts.spools[stream]
    const endOffset = length === 0 ? spool.totalBytes : Math.min(spool.totalBytes, offset + length)
    for (const range of spool.ranges()) {
      let at = Math.max(offset, range.offset)
      const to = Math.min(endOffset, range.endOffset)
      while (at < to) {
        const content = await spool.read(at, Math.min(pieceBytes, to - at))
        if (content.length === 0) return
        yield { offset: at, content }
        at += content.length
      }
    }
  }

  async store(): Promise<StoredOutput> {
    await this.#followed
    const { spools, blobs } = this.#parts
    if (spools.stdout.totalBytes + spools.stderr.totalBytes <= maxInlineOutputBytes) {
      const [stdout, stderr] = [await this.#whole('stdout'), await this.#whole('stderr')]
      return { inline: { stdout: stdout.toString('base64'), stderr: stderr.toString('base64') } }
    }
    const manifest: Manifest = {
      format: 1,
      stdout: await this.#storeStream('stdout'),
      stderr: await this.#storeStream('stderr'),
    }
    const content = Buffer.from(JSON.stringify(manifest))
    const { digest, sizeBytes } = await blobs.put(content)
    return { manifest: { digest, sizeBytes, mediaType: 'application/json', preview: '' } }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.spools.stdout[Symbol.asyncDispose]()
    await this.#parts.spools.stderr[Symbol.asyncDispose]()
  }

  /** Reading waits for the disk: a flood fills the pipe, not our memory. */
  async #drain(stream: OutputStream, source: Readable): Promise<void> {
    const chunks: AsyncIterable<Buffer> = source
    for await (const chunk of chunks) {
      await this.#parts.spools[stream].append(chunk)
      this.#windows[stream].add(chunk)
      this.#live.add(stream, chunk)
      this.#pulse.beat()
    }
  }

  #preview(stream: OutputStream): Preview {
    return previewOf(this.#windows[stream], this.#parts.previewBytes)
  }

  async #whole(stream: OutputStream): Promise<Buffer> {
    const pieces: Uint8Array[] = []
    for await (const { content } of this.read({ stream, offset: 0, length: 0 }))
      pieces.push(content)
    return Buffer.concat(pieces)
  }

  async #storeStream(stream: OutputStream): Promise<Manifest['stdout']> {
    const spool = this.#parts.spools[stream]
    const segments: Manifest['stdout']['segments'] = []
    for (const range of spool.ranges()) {
      for (let offset = range.offset; offset < range.endOffset; offset += segmentBytes) {
        const length = Math.min(segmentBytes, range.endOffset - offset)
        const pieces: Uint8Array[] = []
        for await (const { content } of this.read({ stream, offset, length })) pieces.push(content)
        const stored = await this.#parts.blobs.put(Buffer.concat(pieces))
        segments.push({ offset, sizeBytes: stored.sizeBytes, digest: stored.digest })
      }
    }
    const { text, truncated } = this.#preview(stream)
    return { sizeBytes: spool.totalBytes, preview: text, truncated, segments }
  }
}
