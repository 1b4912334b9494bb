import {
  type GrepFilesResponse,
  type GrepHit,
  type GrepPlace,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { defineSpelling, defineTool, okResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type ToolCall } from '../tool-call.js'
import { liveNote } from './file-entry.js'
import { AfterSchema, ListPageSchema, listPage } from './list-page.js'
import { PathSchema, normalisePath } from './path.js'
import { actorOf, workspaceOf } from './place.js'
import { count, sizeText } from './words.js'

/** What `grep_files` tells programs. */
export const GrepFilesDetailsSchema = z.strictObject({
  matches: z.array(
    z.strictObject({
      path: z.string(),
      /** 1-based. */
      line: z.int(),
      /** Byte of the line where the first match begins, 1-based. */
      column: z.int(),
      text: z.string(),
      /** The text is only the beginning of the line. */
      cut: z.boolean(),
    }),
  ),
  /** Lines in all. */
  total: z.int(),
  truncated: z.boolean(),
  page: ListPageSchema,
  /** Files that were not searched because they are too large. */
  tooLarge: z.int(),
  uncommitted: z.boolean(),
})

const most = 200
const shared = {
  pattern: z
    .string()
    .min(1)
    .max(4096)
    .refine((text) => !/[\n\0]/.test(text), 'holds a line end or NUL; send what stands in one line')
    .describe('Text to find in one line, literally'),
  path: PathSchema.optional().describe('Directory or file to look into'),
  glob: z.string().min(1).max(1000).optional().describe('Only files whose path fits, such as *.py'),
  after: AfterSchema,
}
const limits = `At most ${most} lines or 40 KiB at a time; the answer says how to go on. Binary files, files over 10 MiB and symbolic links are left out.`

/** H-04: lines of text files that have a text. */
export const grepFiles = defineTool({
  name: 'grep_files',
  description: `Finds the lines of the text files of your workspace that have a text, as path:line:text. The pattern is literal unless regex is true. ${limits}`,
  parameters: z.strictObject({
    ...shared,
    regex: z.boolean().default(false).describe('The pattern is a regular expression'),
    ignore_case: z.boolean().default(false).describe('Upper and lower case are the same'),
  }),
  effect: 'read',
  concurrency: 'shared',
  replay: 'pure',
  deadlineMs: 60_000,
  output: { selfBounded: true },
  details: GrepFilesDetailsSchema,
  wire: {
    harness: defineSpelling({
      name: 'grep_files',
      description: `Finds the lines of the text files of your workspace that have a literal text, as path:line:text. ${limits}`,
      parameters: z.strictObject(shared),
      toArguments: (args) => ({ ...args, regex: false, ignore_case: false }),
    }),
  },
  handler: async (args, call: ToolCall) => {
    const { workspaceId, runnerId } = workspaceOf(call)
    const { pattern, regex, path, glob = '', after } = args
    const found = await call.files.grepFiles(
      {
        ...{ actor: actorOf(call), workspaceId, runnerId, pattern, regex, glob, limit: most },
        ignoreCase: args.ignore_case,
        path: path === undefined ? '' : normalisePath(path),
        after: placeOf(after),
      },
      { signal: call.signal },
    )
    const { truncated, uncommitted } = found
    const page = listPage(truncated, lastOf(found))
    const [total, tooLarge] = [Number(found.total), Number(found.tooLarge)]
    const matches = found.hits.map(toMatch)
    const details = { matches, total, truncated, page, tooLarge, uncommitted }
    return okResult(toText(found, pattern), details)
  },
})

type Match = z.input<typeof GrepFilesDetailsSchema>['matches'][number]

function toMatch({ path, line, column, text, cut }: GrepHit): Match {
  return { path, line: Number(line), column: Number(column), text, cut }
}

/** Names may hold colons: the line is what stands behind the last one. */
function placeOf(after: string | undefined): GrepPlace | undefined {
  const [, path = '', line = ''] = /^(.*):(\d{1,15})$/s.exec(after ?? '') ?? []
  if (path !== '') return { path, line: BigInt(line) }
  return after === undefined ? undefined : { path: after, line: 0n }
}

function lastOf({ hits }: GrepFilesResponse): string | undefined {
  const last = hits.at(-1)
  return last && `${last.path}:${last.line}`
}

function toText(found: GrepFilesResponse, pattern: string): string {
  const { hits, total, truncated, uncommitted, tooLarge } = found
  const lines = hits.map(hitText)
  if (hits.length === 0) {
    const none = `No line has ${JSON.stringify(pattern.slice(0, 200))}`
    lines.push(total === 0n ? `${none}.` : `${none} behind that one.`)
  }
  if (truncated) {
    const last = JSON.stringify(lastOf(found))
    lines.push(`[${hits.length} of ${count(Number(total), 'line')}; go on with after ${last}]`)
  }
  if (tooLarge > 0n) {
    const largest = sizeText(Number(found.maxFileBytes))
    lines.push(`[${count(Number(tooLarge), 'file')} over ${largest} not searched]`)
  }
  if (uncommitted) lines.push(liveNote)
  return lines.join('\n')
}

function hitText({ path, line, column, text, cut }: GrepHit): string {
  if (!cut) return `${path}:${line}:${text}`
  const behind = Number(column) > Buffer.byteLength(text) ? ` [match at byte ${column}]` : ''
  return `${path}:${line}:${text}…${behind}`
}
