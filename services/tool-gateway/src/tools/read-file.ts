import { type ReadFileResponse } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type TextPage } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { PlatformError } from '@sciencediscovery/kernel'
import { type Profile, defineSpelling, defineTool, okResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type ToolCall } from '../tool-call.js'
import { PathSchema } from './path.js'
import { actorOf, workspaceOf } from './place.js'
import { PageSchema, binaryText, pageText, pastEnd, toPage } from './text-page.js'

/** What `read_file` tells programs; `page` is absent for a binary. */
export const ReadFileDetailsSchema = z.strictObject({
  path: z.string(),
  binary: z.boolean(),
  mediaType: z.string(),
  sizeBytes: z.int(),
  encoding: z.string(),
  uncommitted: z.boolean(),
  page: PageSchema.optional(),
})

const defaultLimit = 2000
const LimitSchema = z.int().min(1).max(10_000)

/** S-02, C-02: a page of a text file. */
export const readFile = defineTool({
  name: 'read_file',
  description: `Reads a text file of your workspace, at most ${defaultLimit} lines or 40 KiB at a time. A longer file comes with its line range and the offset to go on with. Of a binary file you get media type and size only.`,
  parameters: z.strictObject({
    path: PathSchema.describe('File, relative to the workspace'),
    offset: z.int().min(1).default(1).describe('First line, counted from 1'),
    limit: LimitSchema.default(defaultLimit).describe('Lines at most'),
    char_offset: z
      .int()
      .min(0)
      .default(0)
      .describe('Characters to skip in the first line; only to go on inside a very long line'),
  }),
  effect: 'read',
  concurrency: 'shared',
  replay: 'pure',
  deadlineMs: 60_000,
  output: { selfBounded: true },
  details: ReadFileDetailsSchema,
  wire: {
    harness: defineSpelling({
      name: 'read_file',
      description: `Reads a text file of your workspace. offset counts lines from 0; limit 0 reads as much as fits one page (${defaultLimit} lines or 40 KiB), and the answer says how to go on.`,
      parameters: z.strictObject({
        path: PathSchema,
        offset: z.int().min(0).default(0),
        limit: z.int().min(0).max(10_000).default(0),
      }),
      toArguments: ({ path, offset, limit }) => ({
        path,
        offset: offset + 1,
        limit: limit === 0 ? defaultLimit : limit,
        char_offset: 0,
      }),
    }),
  },
  handler: async (args, call: ToolCall) => {
    const { page, uncommitted } = await read(args, call)
    const { path, offset } = args
    if (page.binary) return okResult(binaryText(path, page), toDetails(path, page, uncommitted))
    const totalLines = Number(page.totalLines)
    // In the harness profile reading past the end is a normal, empty answer (BR-012).
    const zeroBased = countsFromZero(call.profile)
    if (offset > Math.max(1, totalLines) && !zeroBased) return pastEnd(path, offset, totalLines)
    const notes = uncommitted ? ['an execution is still writing: not committed yet'] : []
    const text = pageText(page, { name: path, offset, zeroBased, notes })
    return okResult(text, toDetails(path, page, uncommitted))
  },
})

function countsFromZero(profile: Profile): boolean {
  return profile === 'harness'
}

interface Wanted {
  readonly path: string
  readonly offset: number
  readonly limit: number
  readonly char_offset: number
}

async function read(
  args: Wanted,
  call: ToolCall,
): Promise<ReadFileResponse & { readonly page: TextPage }> {
  const { workspaceId, runnerId } = workspaceOf(call)
  const answer = await call.files.readFile(
    {
      actor: actorOf(call),
      workspaceId,
      runnerId,
      path: args.path,
      offset: BigInt(args.offset),
      limit: args.limit,
      charOffset: BigInt(args.char_offset),
    },
    { signal: call.signal },
  )
  if (!answer.page) throw new PlatformError('bug', 'the runner sent no page')
  return { ...answer, page: answer.page }
}

function toDetails(
  path: string,
  page: TextPage,
  uncommitted: boolean,
): z.input<typeof ReadFileDetailsSchema> {
  const { binary, mediaType, encoding } = page
  return {
    path,
    binary,
    mediaType,
    sizeBytes: Number(page.sizeBytes),
    encoding,
    uncommitted,
    ...(!binary && { page: toPage(page) }),
  }
}
