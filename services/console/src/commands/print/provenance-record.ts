import { PlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'

const TextSchema = z
  .string()
  .nullish()
  .transform((text) => text ?? '')

const InputSchema = z.object({
  path: z.string(),
  sha256: z.string().nullish(),
  origin: TextSchema,
  evidence: z.string(),
  /** The call that made it, and its run; empty when no call did. */
  callId: TextSchema,
  runId: TextSchema,
  revisionId: TextSchema,
})
export type ProvenanceInput = z.infer<typeof InputSchema>

const RevisionSchema = z.object({
  id: z.string(),
  path: z.string(),
  sha256: z.string().nullish(),
  origin: z.string(),
  callId: TextSchema,
  runId: TextSchema,
})
export type ProvenanceRevision = z.infer<typeof RevisionSchema>

const ActivitySchema = z.object({
  callId: TextSchema,
  kind: z.string(),
  event: z.object({ stream: z.string(), position: z.number() }),
  runId: TextSchema,
  /** Name of the tool. */
  name: TextSchema,
  execution: z.object({ command: TextSchema }).optional(),
  /** Set when it only moved the file. */
  moved: z.object({ fromPath: z.string(), toPath: z.string() }).optional(),
  /** The revisions that led to it. */
  outputs: z.array(z.object({ revisionId: z.string() })).default([]),
  inputs: z.array(InputSchema).default([]),
  /** Possible inputs that are not listed. */
  inputsOmitted: z.number().default(0),
})
export type ProvenanceActivity = z.infer<typeof ActivitySchema>

const RecordSchema = z.object({
  origin: z.string(),
  fileId: z.string(),
  revisions: z.array(RevisionSchema),
  upstream: z.array(ActivitySchema),
  truncated: z.boolean().default(false),
  deleted: z.boolean().default(false),
  /** Where the file is now, when it was moved away. */
  movedTo: z.string().optional(),
  /** Why the chain cannot go on somewhere; empty when it is whole. */
  reason: TextSchema,
  artifact: z.object({ name: z.string(), version: z.number(), sha256: TextSchema }).optional(),
  /** Views that were behind when this was asked. */
  behind: z.array(z.string()).default([]),
})
/** How a file came to be, as the provenance service tells it; what is not shown is not read. */
export type ProvenanceRecord = z.infer<typeof RecordSchema>

/** The record in the service's JSON. */
export function parseProvenance(detailsJson: string): ProvenanceRecord {
  try {
    return RecordSchema.parse(JSON.parse(detailsJson))
  } catch (cause) {
    throw new PlatformError('bug', 'the provenance record cannot be read', {
      remedy: 'use a scid of the same release as the stack',
      cause,
    })
  }
}
