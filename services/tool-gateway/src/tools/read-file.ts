import { type ReadFileResponse } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type TextPage } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { PlatformError } from '@sciencediscovery/kernel'
import { type Profile, defineSpelling, defineTool, okResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type ToolCall } from '../tool-call.js'
import { PathSchema } from './path.js'
import { actorOf, workspaceOf } from './place.js'
import {
  CharOffsetSchema,
  PageSchema,
  type PageWords,
  binaryText,
  pageText,
  pastEnd,
  toPage,
} from './text-page.js'

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
    charOffset: CharOffsetSchema,
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
        charOffset: CharOffsetSchema,
      }),
      toArguments: ({ path, offset, limit, charOffset }) => ({
        path,
        offset: offset + 1,
        limit: limit === 0 ? defaultLimit : limit,
        charOffset,
      }),
    }),
  },
  handler: async (args, call: ToolCall) => {
    const answer = await read(args, call)
    const { page } = answer
    const { offset, charOffset } = args
    const notes = notesOf(answer)
    const words = { name: answer.path, offset, charOffset, zeroBased: countsFromZero(call.profile) }
    const details = toDetails(answer, { ...words, notes })
    if (page.binary) return okResult(binaryText(answer.path, page), details)
    const totalLines = Number(page.totalLines)
    // In the harness profile reading past the end is a normal, empty answer (BR-012).
    if (offset > Math.max(1, totalLines) && !words.zeroBased) {
      return pastEnd(answer.path, offset, totalLines)
    }
    return okResult(pageText(page, { ...words, notes }), details)
  },
})

function countsFromZero(profile: Profile): boolean {
  return profile === 'harness'
}

interface Wanted {
  readonly path: string
  readonly offset: number
  readonly limit: number
  readonly charOffset: number
}

type Answer = ReadFileResponse & { readonly page: TextPage }

async function read(args: Wanted, call: ToolCall): Promise<Answer> {
  const { workspaceId, runnerId } = workspaceOf(call)
  const answer = await call.files.readFile(
    {
      actor: actorOf(call),
      workspaceId,
      runnerId,
      path: args.path,
      offset: BigInt(args.offset),
      limit: args.limit,
      charOffset: BigInt(args.charOffset),
    },
    { signal: call.signal },
  )
  if (!answer.page) throw new PlatformError('bug', 'the runner sent no page')
  return { ...answer, page: answer.page }
}

/** What a reader should know of what was read besides its text. */
function notesOf({ uncommitted, path, spelling }: Answer): readonly string[] {
  const live = uncommitted ? ['an execution is still writing: not committed yet'] : []
  return spelling === '' ? live : [...live, `read ${JSON.stringify(path)}: ${spelling}`]
}

function toDetails(answer: Answer, words: PageWords): z.input<typeof ReadFileDetailsSchema> {
  const { page, path, uncommitted } = answer
  const { binary, mediaType, encoding } = page
  return {
    path,
    binary,
    mediaType,
    sizeBytes: Number(page.sizeBytes),
    encoding,
    uncommitted,
    ...(!binary && { page: toPage(page, words) }),
  }
}
