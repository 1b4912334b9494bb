import { join } from 'node:path'
import { type BlobStore } from '@sciencediscovery/blob-store'
import { type Signals } from '@sciencediscovery/event-store'
import {
  type OutputPiece,
  type OutputRange,
  type OutputStore,
  type OutputView,
} from '../../output.js'
import { type Manifest, readManifest, runsOf, viewOfManifest } from './manifest.js'
import { type LogSource, readLog } from './read-log.js'
import { Recorder } from './recorder.js'
import { Spool } from './spool.js'

/** How outputs are kept. */
export interface OutputStoreOptions {
  readonly blobs: BlobStore
  readonly signals: Signals
  /** Retained bytes per stream. */
  readonly maxBytes: number
  readonly previewBytes: number
}

/** Outputs on disk while they grow, in the blob store afterwards. */
export function createOutputStore(options: OutputStoreOptions): OutputStore {
  const { blobs, signals, maxBytes, previewBytes } = options
  return {
    record: ({ stdout, stderr, directory, name }, { runId, callId, onStored }) => {
      const spools = {
        stdout: new Spool(join(directory, `${name}.stdout`), maxBytes),
        stderr: new Spool(join(directory, `${name}.stderr`), maxBytes),
      }
      const publish = (stream: string, text: string): void => {
        signals.publish(`live.${runId}`, { kind: 'output', callId, stream, text })
      }
      const recorder = new Recorder({ blobs, spools, publish, onStored, previewBytes })
      recorder.follow(stdout, stderr)
      return recorder
    },
    view: async (stored) => {
      if (!stored) return nothing
      return viewOfManifest(await readManifest(blobs, stored))
    },
    log: async (stored, range) => {
      if (!stored) return readLog(noLog, range)
      const manifest = await readManifest(blobs, stored)
      const read = (wanted: OutputRange): AsyncIterable<OutputPiece> =>
        readSegments(blobs, manifest, wanted)
      return readLog({ runs: runsOf(manifest), read }, range)
    },
    async *read(stored, range) {
      if (stored) yield* readSegments(blobs, await readManifest(blobs, stored), range)
    },
  }
}

const nothing: OutputView = {
  stdoutBytes: 0,
  stderrBytes: 0,
  stdoutPreview: '',
  stderrPreview: '',
  truncated: false,
  retentionTruncated: false,
}
const noLog: LogSource = { runs: [], read: async function* () {} }

async function* readSegments(
  blobs: BlobStore,
  manifest: Manifest,
  { stream, offset, length }: OutputRange,
): AsyncGenerator<OutputPiece> {
  const endOffset = length === 0 ? Number.MAX_SAFE_INTEGER : offset + length
  for (const segment of manifest[stream].segments) {
    const from = Math.max(offset, segment.offset)
    const to = Math.min(endOffset, segment.offset + segment.sizeBytes)
    if (from >= to) continue
    const content =
      segment.content === undefined
        ? await blobs.get(segment.digest)
        : Buffer.from(segment.content, 'base64')
    yield { offset: from, content: content.subarray(from - segment.offset, to - segment.offset) }
  }
}
