import { defineTool, okResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type ToolCall } from '../tool-call.js'
import { FileSchema, toFile } from './committed-file.js'
import { PathSchema } from './path.js'
import { actorOf, effectKeyOf, needsWorkspaceCode, workspaceOf } from './place.js'
import { count } from './words.js'

/** What `edit_file` tells programs. */
export const EditFileDetailsSchema = z.strictObject({ replacements: z.int(), file: FileSchema })

/** H-03: literal replacement that keeps every untouched byte. */
export const editFile = defineTool({
  name: 'edit_file',
  description:
    'Replaces text in a file of your workspace, literally. old_string must occur exactly once, unless replace_all is true. Everything else in the file stays as it is.',
  parameters: z
    .strictObject({
      path: PathSchema.describe('File, relative to the workspace'),
      old_string: z.string().min(1).describe('Text to find, exactly as it stands in the file'),
      new_string: z.string().describe('Text to put in its place'),
      replace_all: z.boolean().default(false).describe('Every place instead of exactly one'),
    })
    .refine((args) => args.old_string !== args.new_string, {
      path: ['new_string'],
      error: 'equals old_string; send the text that shall stand there instead',
    }),
  effect: 'write',
  permission: ({ path }) => needsWorkspaceCode(`edit ${path}`),
  concurrency: 'exclusive',
  replay: 'keyed',
  deadlineMs: 60_000,
  details: EditFileDetailsSchema,
  handler: async (args, call: ToolCall) => {
    const { workspaceId, runnerId } = workspaceOf(call)
    const edited = await call.files.editFile(
      {
        effectKey: effectKeyOf(call),
        actor: actorOf(call),
        workspaceId,
        runnerId,
        path: args.path,
        oldString: args.old_string,
        newString: args.new_string,
        replaceAll: args.replace_all,
      },
      { signal: call.signal },
    )
    const { replacements } = edited
    const file = toFile(edited.file)
    const text = `${count(replacements, 'replacement')} in ${file.path}.`
    return okResult(text, { replacements, file }, edited.effects)
  },
})
