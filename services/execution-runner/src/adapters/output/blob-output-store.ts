import { join } from 'node:path'
import { type BlobStore } from '@sciencediscovery/blob-store'
import { type Signals } from '@sciencediscovery/event-store'
import { type z } from 'zod'
import { type StoredOutput } from '../../domain/workspace/events.js'
import {
  type OutputPiece,
  type OutputRange,
  type OutputStore,
  type OutputView,
} from '../../output.js'
import { type ManifestSchema, readManifest, viewOfManifest } from './manifest.js'
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
    record: ({ stdout, stderr, directory, name }, { runId, callId }) => {
      const spools = {
        stdout: new Spool(join(directory, `${name}.stdout`), maxBytes),
        stderr: new Spool(join(directory, `${name}.stderr`), maxBytes),
      }
      const publish = (stream: string, text: string): void => {
        signals.publish(`live.${runId}`, { kind: 'output', callId, stream, text })
      }
      const recorder: Recorder = new Recorder({ blobs, spools, publish, previewBytes })
      recorder.follow(stdout, stderr)
      return recorder
    },
    view: async (stored) => {
      if (!stored) return nothing
      return viewOfManifest(await readManifest(blobs, stored))
    },
    read: (stored, range) => readStored(blobs, stored, range),
  }
}

const nothing: OutputView = {
  stdoutBytes: 0,
  stderrBytes: 0,
  stdoutPreview: '',
  stderrPreview: '',
  truncated: false,
}

type Manifest = z.infer<typeof ManifestSchema>

async function* readStored(
  blobs: BlobStore,
  stored: StoredOutput | undefined,
  { stream, offset, length }: OutputRange,
): AsyncGenerator<OutputPiece> {
  if (!stored) return
  const manifest: Manifest = await readManifest(blobs, stored)
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
