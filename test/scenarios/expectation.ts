import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/** What must be true of the end of one call; what is not said is not checked. */
const CallSchema = z.strictObject({
  outcome: z.enum(['ok', 'error', 'completed', 'failed', 'accepted']),
  code: z.string().optional(),
  exitCode: z.int().optional(),
  stdout: z.string().optional(),
  stdoutStartsWith: z.string().optional(),
  stdoutContains: z.array(z.string()).optional(),
  stderrContains: z.array(z.string()).optional(),
  created: z.array(z.string()).optional(),
  modified: z.array(z.string()).optional(),
  /** Of list_files. */
  paths: z.array(z.string()).optional(),
  /** Of list_artifacts. */
  names: z.array(z.string()).optional(),
  items: z.array(z.strictObject({ path: z.string(), ok: z.boolean() })).optional(),
  replacements: z.int().optional(),
  page: z.record(z.string(), z.unknown()).optional(),
  binary: z.boolean().optional(),
  bytes: z.int().optional(),
  mediaType: z.string().optional(),
  content: z.string().optional(),
  /** Width and height of the artifact version that was read. */
  pngSize: z.tuple([z.int(), z.int()]).optional(),
  noBody: z.literal(true).optional(),
  mustNotContain: z.array(z.string()).optional(),
  name: z.string().optional(),
  version: z.int().optional(),
  sameArtifactAs: z.string().optional(),
  note: z.string().optional(),
})
export type ExpectedCall = z.infer<typeof CallSchema>

const UseSchema = z.strictObject({
  path: z.string(),
  sha256: z.string().optional(),
  origin: z.string().optional(),
  generatedBy: z.string().optional(),
  revisions: z.array(z.strictObject({ by: z.string() })).optional(),
})

const ProvenanceSchema = z.strictObject({
  of: z.string(),
  version: z.int(),
  generatedBy: z.string(),
  notGeneratedBy: z.array(z.string()).default([]),
  uses: z.array(UseSchema).default([]),
})
export type ExpectedProvenance = z.infer<typeof ProvenanceSchema>

const Texts = z.unknown().optional()

const ExpectationSchema = z.strictObject({
  id: z.string(),
  script: z.string(),
  title: z.string(),
  profile: z.enum(['science', 'harness', 'registry']),
  goal: z.string(),
  requires: z.object({ debian: z.array(z.string()) }),
  inputs: z.array(z.object({ upload: z.string(), from: z.string(), sha256: z.string() })),
  drive: z.array(
    z.discriminatedUnion('do', [
      z.strictObject({ do: z.literal('upload'), all: z.literal(true) }),
      z.strictObject({ do: z.literal('run') }),
    ]),
  ),
  calls: z.record(z.string(), CallSchema),
  values: z.array(
    z.object({ what: z.string(), equals: z.union([z.number(), z.array(z.number())]) }),
  ),
  files: z.record(
    z.string(),
    z.strictObject({ sha256: z.string(), bytes: z.int().optional() }),
  ),
  artifacts: z.array(
    z.strictObject({ name: z.string(), versions: z.int(), origin: z.string() }),
  ),
  provenance: z.array(ProvenanceSchema),
  /** Sentences: the test of the scenario checks them. */
  stream: z.array(z.string()),
  ...{ pitfalls: Texts, independent: Texts },
})
export type Expectation = z.infer<typeof ExpectationSchema>

/** Reads an expectation; one that asks for something the runner cannot check is refused. */
export async function loadExpectation(name: string): Promise<Expectation> {
  const text = await readFile(join(import.meta.dirname, `${name}.expect.json`), 'utf8')
  return ExpectationSchema.parse(JSON.parse(text))
}
