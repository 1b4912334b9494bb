import { type ListFilesResponse } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { defineSpelling, defineTool, okResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type ToolCall } from '../tool-call.js'
import { EntrySchema, liveNote, toEntry } from './file-entry.js'
import { AfterSchema, ListPageSchema, listPage } from './list-page.js'
import { PathSchema, normalisePath } from './path.js'
import { actorOf, workspaceOf } from './place.js'

/** What `list_files` tells programs. */
export const ListFilesDetailsSchema = z.strictObject({
  files: z.array(EntrySchema),
  truncated: z.boolean(),
  page: ListPageSchema,
  /** Entries seen in all. */
  total: z.int(),
  /** An execution was writing: what is listed is live, not committed. */
  uncommitted: z.boolean(),
})

const most = 500

/** S-01, C-01: what is in the agent's workspace. */
export const listFiles = defineTool({
  name: 'list_files',
  description: `Lists the files of your workspace. Without path: all files in all directories. With path: the entries of that one directory, directories with a final '/'; set recursive to get everything below it. At most ${most} entries at a time; the answer says how to go on. Symbolic links are left out.`,
  parameters: z.strictObject({
    path: PathSchema.optional().describe('Directory, relative to the workspace'),
    recursive: z.boolean().optional().describe('All levels; true unless path is given, then false'),
    after: AfterSchema,
  }),
  effect: 'read',
  concurrency: 'shared',
  replay: 'pure',
  deadlineMs: 60_000,
  details: ListFilesDetailsSchema,
  wire: {
    harness: defineSpelling({
      name: 'list_files',
      description: `Lists one directory of your workspace, directories with a final '/'. Use '.' for the top. At most ${most} entries.`,
      parameters: z.strictObject({ path: PathSchema, after: AfterSchema }),
      toArguments: ({ path, after }) => ({ path, recursive: false, after }),
    }),
  },
  handler: async (args, call: ToolCall) => {
    const path = args.path === undefined ? '' : normalisePath(args.path)
    const recursive = args.recursive ?? args.path === undefined
    const { workspaceId, runnerId } = workspaceOf(call)
    const place = { actor: actorOf(call), workspaceId, runnerId }
    const request = { ...place, path, recursive, limit: most, after: args.after ?? '' }
    const listing = await call.files.listFiles(request, { signal: call.signal })
    return okResult(toText(listing, path), toDetails(listing))
  },
})

function toDetails(listing: ListFilesResponse): z.input<typeof ListFilesDetailsSchema> {
  const files = listing.files.map(toEntry)
  const { truncated, uncommitted } = listing
  const page = listPage(truncated, files.at(-1)?.path)
  return { files, truncated, page, total: Number(listing.total), uncommitted }
}

function toText({ files, truncated, total, uncommitted }: ListFilesResponse, path: string): string {
  const place = path === '' ? 'The workspace' : path
  const lines = files.map((file) => (file.directory ? `${file.path}/` : file.path))
  if (uncommitted) lines.unshift(liveNote)
  if (files.length === 0) {
    lines.push(total === 0n ? `${place} has no files.` : `${place} has no files behind that one.`)
  }
  if (truncated) {
    const last = JSON.stringify(files.at(-1)?.path)
    lines.push(`[${files.length} of ${total} entries; go on with after ${last}]`)
  }
  return lines.join('\n')
}
