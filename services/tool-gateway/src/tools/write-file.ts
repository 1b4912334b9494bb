import { PlatformError, isPlatformError } from '@sciencediscovery/kernel'
import { Conflict } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { type WriteFileResponse } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { defineTool, okResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type ToolCall } from '../tool-call.js'
import { FileSchema, toFile } from './committed-file.js'
import { PathSchema } from './path.js'
import { actorOf, effectKeyOf, needsWorkspaceCode, workspaceOf } from './place.js'
import { sizeText } from './words.js'

/** What `write_file` tells programs. */
export const WriteFileDetailsSchema = z.strictObject({ file: FileSchema })

/** H-02: a new file; one that exists is left alone. */
export const writeFile = defineTool({
  name: 'write_file',
  description:
    'Writes a new text file into your workspace; missing directories are made. Fails when the file exists: change it with edit_file.',
  parameters: z.strictObject({
    path: PathSchema.describe('File, relative to the workspace'),
    content: z.string().describe('The whole content'),
  }),
  effect: 'write',
  permission: ({ path, content }) =>
    needsWorkspaceCode(`write ${path} (${sizeText(Buffer.byteLength(content))})`),
  concurrency: 'exclusive',
  replay: 'keyed',
  deadlineMs: 60_000,
  details: WriteFileDetailsSchema,
  handler: async ({ path, content }, call: ToolCall) => {
    const { workspaceId, runnerId } = workspaceOf(call)
    const written = await explained(
      call.files.writeFile(
        {
          effectKey: effectKeyOf(call),
          actor: actorOf(call),
          workspaceId,
          runnerId,
          path,
          content: Buffer.from(content, 'utf8'),
          conflict: Conflict.CONFLICT_REJECT,
        },
        { signal: call.signal },
      ),
    )
    const file = toFile(written.file)
    return okResult(`Wrote ${file.path} (${sizeText(file.sizeBytes)}).`, { file }, written.effects)
  },
})

async function explained(writing: Promise<WriteFileResponse>): Promise<WriteFileResponse> {
  try {
    return await writing
  } catch (cause) {
    if (!isPlatformError(cause) || cause.code !== 'already_exists') throw cause
    throw new PlatformError('already_exists', `${cause.message}; it was left as it is`, {
      cause,
      field: 'path',
      remedy: 'change it with edit_file, or write to another path',
    })
  }
}
