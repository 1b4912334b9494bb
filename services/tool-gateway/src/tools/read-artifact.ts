import { PlatformError } from '@sciencediscovery/kernel'
import { defineTool, okResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type ToolCall } from '../tool-call.js'
import { type ArtifactRecord, ArtifactSchema, toArtifact } from './artifact.js'
import {
  CharOffsetSchema,
  PageSchema,
  binaryText,
  imageText,
  pageText,
  pastEnd,
  toPage,
} from './text-page.js'

/** What `read_artifact` tells programs; `content` and `page` are absent for a binary. */
export const ReadArtifactDetailsSchema = z.strictObject({
  artifact: ArtifactSchema,
  version: z.int(),
  binary: z.boolean(),
  encoding: z.string(),
  content: z.string().optional(),
  mediaType: z.string(),
  size: z.int(),
  page: PageSchema.optional(),
  truncated: z.boolean(),
  note: z.string().optional(),
  /** An image that models which can see are shown; the others get type and size. */
  image: z
    .strictObject({ sha256: z.string(), mediaType: z.string(), sizeBytes: z.int() })
    .optional(),
})

/** S-05: a page of an artifact version. */
export const readArtifact = defineTool({
  name: 'read_artifact',
  description:
    'Reads an artifact of the project by artifact_id or by name, the newest version unless version is given; at most 2000 lines or 40 KiB at a time. Of a binary you get media type and size only; an image is shown to you if you can see.',
  parameters: z
    .strictObject({
      artifact_id: z.string().min(1).max(200).optional(),
      name: z.string().min(1).max(512).optional(),
      version: z.int().min(1).max(2_147_483_647).optional().describe('The newest when left out'),
      offset: z.int().min(1).default(1).describe('First line, counted from 1'),
      limit: z.int().min(1).max(10_000).default(2000).describe('Lines at most'),
      charOffset: CharOffsetSchema,
    })
    .refine((args) => args.artifact_id !== undefined || args.name !== undefined, {
      path: ['name'],
      error: 'is missing; send name or artifact_id, list_artifacts shows both',
    }),
  effect: 'read',
  concurrency: 'shared',
  replay: 'pure',
  deadlineMs: 60_000,
  output: { selfBounded: true },
  details: ReadArtifactDetailsSchema,
  handler: async (args, call: ToolCall) => {
    const { projectId, minPosition } = call.place
    const { offset, limit } = args
    const answer = await call.artifacts.readArtifact(
      {
        projectId,
        artifactId: args.artifact_id ?? '',
        name: args.name ?? '',
        version: args.version ?? 0,
        offset: BigInt(offset),
        limit,
        charOffset: BigInt(args.charOffset),
        minPosition,
      },
      { signal: call.signal },
    )
    const { page } = answer
    if (!page) throw new PlatformError('bug', 'the artifact store sent no page')
    const artifact = toArtifact(answer.artifact)
    const { binary, mediaType, encoding } = page
    const size = Number(page.sizeBytes)
    const known = { artifact, version: artifact.version, binary, encoding, mediaType, size }
    const name = `${artifact.name} version ${artifact.version}`
    if (binary) {
      const image = imageOf(artifact, mediaType)
      const note = image ? imageText(name, page) : binaryText(name, page)
      return okResult(note, { ...known, truncated: false, note, ...(image && { image }) })
    }
    const totalLines = Number(page.totalLines)
    if (offset > Math.max(1, totalLines)) return pastEnd(name, offset, totalLines)
    const words = { name, offset, charOffset: args.charOffset, zeroBased: false, notes: [] }
    const text = pageText(page, words)
    const shown = toPage(page, words)
    const details = { ...known, content: page.content, page: shown, truncated: page.hasMore }
    return okResult(text, details)
  },
})

/** Types that model services take, and the largest image that they do. */
const shownTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const maxImageBytes = 5 * 1024 * 1024

function imageOf(
  { sha256, sizeBytes }: ArtifactRecord,
  mediaType: string,
): z.input<typeof ReadArtifactDetailsSchema>['image'] {
  const isShown = shownTypes.has(mediaType) && sizeBytes <= maxImageBytes
  return isShown ? { sha256, mediaType, sizeBytes } : undefined
}
