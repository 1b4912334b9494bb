import { type BlobStore } from '@sciencediscovery/blob-store'
import { z } from 'zod'
import { type StoredOutput } from '../../domain/workspace/events.js'
import { type OutputView } from '../../output.js'
import { ByteWindow } from './byte-window.js'
import { previewOf } from './preview.js'

const SegmentSchema = z.object({
  offset: z.number().int(),
  sizeBytes: z.number().int(),
  digest: z.string(),
  /** Small outputs travel in the event itself. */
  content: z.string().optional(),
})

const StreamSchema = z.object({
  sizeBytes: z.number().int(),
  preview: z.string(),
  truncated: z.boolean(),
  segments: z.array(SegmentSchema),
})

/** Where the retained bytes of both streams are, and what a reader is shown. */
export const ManifestSchema = z.object({
  format: z.literal(1),
  stdout: StreamSchema,
  stderr: StreamSchema,
  /** In which order the bytes came: lengths of runs, the first one of stdout. Older ones do not say. */
  runs: z.array(z.number().int().nonnegative()).optional(),
})
export type Manifest = z.infer<typeof ManifestSchema>

/** Outputs up to this size together need no blob. */
export const maxInlineOutputBytes = 4 * 1024

export async function readManifest(blobs: BlobStore, stored: StoredOutput): Promise<Manifest> {
  if ('inline' in stored) {
    const { stdout, stderr, runs } = stored.inline
    return { format: 1, stdout: inlineStream(stdout), stderr: inlineStream(stderr), runs }
  }
  const content = await blobs.get(stored.manifest.digest)
  return ManifestSchema.parse(JSON.parse(Buffer.from(content).toString('utf8')))
}

function inlineStream(content: string): Manifest['stdout'] {
  const bytes = Buffer.from(content, 'base64')
  const window = new ByteWindow(maxInlineOutputBytes, 1)
  window.add(bytes)
  const { text, truncated } = previewOf(window, 4 * maxInlineOutputBytes)
  const sizeBytes = bytes.length
  const segments = sizeBytes === 0 ? [] : [{ offset: 0, sizeBytes, digest: '', content }]
  return { sizeBytes, preview: text, truncated, segments }
}

/** The order of both streams; stdout first where nobody noted it. */
export function runsOf({ runs, stdout, stderr }: Manifest): readonly number[] {
  return runs ?? [stdout.sizeBytes, stderr.sizeBytes]
}

export function viewOfManifest({ stdout, stderr }: Manifest): OutputView {
  return {
    stdoutBytes: stdout.sizeBytes,
    stderrBytes: stderr.sizeBytes,
    stdoutPreview: stdout.preview,
    stderrPreview: stderr.preview,
    truncated: stdout.truncated || stderr.truncated,
    retentionTruncated: [stdout, stderr].some(hasGap),
  }
}

function hasGap({ sizeBytes, segments }: Manifest['stdout']): boolean {
  return segments.reduce((sum, segment) => sum + segment.sizeBytes, 0) < sizeBytes
}
