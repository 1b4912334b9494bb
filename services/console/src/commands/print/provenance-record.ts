import { PlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'

const InputSchema = z.object({
  path: z.string(),
  sha256: z.string(),
  origin: z.string().default(''),
  runnerId: z.string().default(''),
  evidence: z.string(),
})
export type ProvenanceInput = z.infer<typeof InputSchema>

const RevisionSchema = z.object({
  id: z.string(),
  path: z.string(),
  sha256: z.string().nullish(),
  origin: z.string(),
  callId: z.string().nullish(),
})
export type ProvenanceRevision = z.infer<typeof RevisionSchema>

const ActivitySchema = z.object({
  callId: z.string(),
  kind: z.string(),
  event: z.object({ stream: z.string(), position: z.number() }),
  /** Name of the tool. */
  name: z.string().default(''),
  /** Beginning of the command, of an execution. */
  command: z.string().default(''),
  inputs: z.array(InputSchema).default([]),
  /** What it made, as far as the chain goes through it. */
  outputs: z.array(z.object({ path: z.string(), sha256: z.string().nullish() })).default([]),
})
export type ProvenanceActivity = z.infer<typeof ActivitySchema>

const RecordSchema = z.object({
  origin: z.string(),
  fileId: z.string(),
  revisions: z.array(RevisionSchema),
  upstream: z.array(ActivitySchema),
  truncated: z.boolean().default(false),
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
