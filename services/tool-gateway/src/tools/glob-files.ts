import { type GlobFilesResponse } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { defineSpelling, defineTool, okResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type ToolCall } from '../tool-call.js'
import { EntrySchema, liveNote, toEntry } from './file-entry.js'
import { AfterSchema, ListPageSchema, listPage } from './list-page.js'
import { PathSchema, normalisePath } from './path.js'
import { actorOf, workspaceOf } from './place.js'
import { sizeText } from './words.js'

/** What `glob_files` tells programs. */
export const GlobFilesDetailsSchema = z.strictObject({
  files: z.array(EntrySchema),
  /** Files that fit in all. */
  total: z.int(),
  truncated: z.boolean(),
  page: ListPageSchema,
  uncommitted: z.boolean(),
})

const most = 500
const description = `Finds files of your workspace whose path fits a glob, with their sizes. A pattern without '/' fits names in all directories; ** stands for any directories; a backslash takes the meaning of the next character. At most ${most} files at a time; the answer says how to go on. Symbolic links are left out.`
const parameters = z.strictObject({
  pattern: z.string().min(1).max(1000).describe('Glob such as *.csv or results/**/*.png'),
  path: PathSchema.optional().describe('Directory to look into, relative to the workspace'),
  after: AfterSchema,
})

/** H-05: files by the shape of their path. */
export const globFiles = defineTool({
  name: 'glob_files',
  description,
  parameters,
  effect: 'read',
  concurrency: 'shared',
  replay: 'pure',
  deadlineMs: 60_000,
  details: GlobFilesDetailsSchema,
  wire: {
    harness: defineSpelling({
      name: 'glob_files',
      description,
      parameters,
      toArguments: (args) => args,
    }),
  },
  handler: async ({ pattern, path, after }, call: ToolCall) => {
    const { workspaceId, runnerId } = workspaceOf(call)
    const found = await call.files.globFiles(
      {
        actor: actorOf(call),
        workspaceId,
        runnerId,
        pattern,
        path: path === undefined ? '' : normalisePath(path),
        limit: most,
        after: after ?? '',
      },
      { signal: call.signal },
    )
    const files = found.files.map(toEntry)
    const { truncated, uncommitted } = found
    const page = listPage(truncated, files.at(-1)?.path)
    const details = { files, total: Number(found.total), truncated, page, uncommitted }
    return okResult(toText(found, pattern), details)
  },
})

function toText({ files, truncated, total, uncommitted }: GlobFilesResponse, glob: string): string {
  const lines = files.map(({ path, sizeBytes }) => `${path} (${sizeText(Number(sizeBytes))})`)
  if (uncommitted) lines.unshift(liveNote)
  if (files.length === 0) {
    const none = `No file fits ${JSON.stringify(glob)}`
    lines.push(total === 0n ? `${none}.` : `${none} behind that one.`)
  }
  if (truncated) {
    const last = JSON.stringify(files.at(-1)?.path)
    lines.push(`[${files.length} of ${total} files; go on with after ${last}]`)
  }
  return lines.join('\n')
}
