import { type ToolResult, defineTool, okResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type ToolCall } from '../tool-call.js'
import { type ArtifactRecord, ArtifactSchema, artifactText } from './artifact.js'
import { type Declared, declareEach, settleView } from './declaring.js'
import { PathSchema, normalisePath } from './path.js'

const ItemSchema = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), path: z.string(), artifact: ArtifactSchema }),
  z.strictObject({
    ok: z.literal(false),
    path: z.string(),
    error: z.strictObject({ code: z.string(), message: z.string() }),
  }),
])
type Item = z.infer<typeof ItemSchema>

/** What `declare_artifact` tells programs: one artifact, or an answer per path. */
export const DeclareArtifactDetailsSchema = z.union([
  z.strictObject({ artifact: ArtifactSchema }),
  z.strictObject({ items: z.array(ItemSchema) }),
])

const parameters = z
  .strictObject({
    path: PathSchema.optional().describe('File of your workspace'),
    paths: z
      .array(PathSchema)
      .min(1)
      .max(50)
      .optional()
      .describe('Several files; each is named by its path, name and description are not used'),
    name: z.string().min(1).max(512).optional().describe("Name; the file's path when left out"),
    description: z.string().max(2000).optional().describe('What it is about'),
    artifact_id: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        'Declare as the next version of this artifact; with base_version_id, not with name',
      ),
    base_version_id: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Version id you worked from; refused when a newer one exists'),
  })
  .refine(({ path, paths }) => path !== undefined || paths !== undefined, {
    path: ['path'],
    error: 'is missing; send path for one file, or paths for several',
  })
  .refine((args) => (args.artifact_id === undefined) === (args.base_version_id === undefined), {
    path: ['base_version_id'],
    error: 'goes only together with artifact_id; send both or neither',
  })
  .refine((args) => args.artifact_id === undefined || args.paths === undefined, {
    path: ['artifact_id'],
    error: 'goes with a single path; send path instead of paths',
  })
  .refine((args) => args.artifact_id === undefined || args.name === undefined, {
    path: ['name'],
    error: 'does not go with artifact_id, which keeps its name; leave name out',
  })
type Arguments = z.output<typeof parameters>

/** S-06: committed files become versions of artifacts. */
export const declareArtifact = defineTool({
  name: 'declare_artifact',
  description:
    'Declares files of your workspace as results of the project: each becomes the next version of the artifact of its name. Declare every result and the final report. With paths each file gets its own answer, and one bad file does not undo the others.',
  parameters,
  effect: 'write',
  concurrency: 'exclusive',
  replay: 'keyed',
  deadlineMs: 120_000,
  details: DeclareArtifactDetailsSchema,
  handler: async (args, call: ToolCall) => {
    const paths = (args.paths ?? [args.path ?? '']).map(normalisePath)
    const declared = await declareEach(call, paths, optionsOf(args))
    await settleView(call, declared)
    return args.paths === undefined ? single(declared) : batch(declared)
  },
})

function optionsOf(args: Arguments): Parameters<typeof declareEach>[2] {
  if (args.paths !== undefined) {
    return { name: '', description: '', artifactId: '', baseVersionId: '' }
  }
  return {
    name: args.name ?? '',
    description: args.description ?? '',
    artifactId: args.artifact_id ?? '',
    baseVersionId: args.base_version_id ?? '',
  }
}

function single([declared]: readonly Declared[]):
  ToolResult<{ artifact: ArtifactRecord }> | Failed {
  if (!declared) throw new Error('nothing was declared')
  if (!declared.ok) return declared.failure
  const { artifact, effects } = declared
  return okResult(`Declared ${artifactText(artifact)}.`, { artifact }, effects)
}

type Failed = Extract<Declared, { ok: false }>['failure']

function batch(declared: readonly Declared[]): ToolResult<{ items: Item[] }> {
  const items = declared.map(toItem)
  const good = items.filter((item) => item.ok).length
  const lines = items.map((item) =>
    item.ok
      ? `Declared ${artifactText(item.artifact)}`
      : `Failed ${item.path}: ${item.error.code}: ${item.error.message}`,
  )
  return {
    text: [`${good} of ${items.length} declared.`, ...lines].join('\n'),
    isError: good === 0,
    details: { items },
    effects: declared.flatMap((one) => (one.ok ? one.effects : [])),
  }
}

function toItem(declared: Declared): Item {
  const { path } = declared
  if (declared.ok) return { ok: true, path, artifact: declared.artifact }
  const { code, message } = declared.failure.details.error
  return { ok: false, path, error: { code, message } }
}
