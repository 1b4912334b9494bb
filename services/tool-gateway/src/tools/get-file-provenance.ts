import { PlatformError } from '@sciencediscovery/kernel'
import { defineTool, okResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type ToolCall } from '../tool-call.js'
import { PathSchema, normalisePath } from './path.js'
import { ProvenanceSchema, provenanceText } from './provenance-text.js'

/** What `get_file_provenance` tells programs. */
export const GetFileProvenanceDetailsSchema = ProvenanceSchema

/** S-03: how a file came to be, as far as events prove it. */
export const getFileProvenance = defineTool({
  name: 'get_file_provenance',
  description:
    'Tells how a file of your workspace, or an artifact of that name, came to be: its origin, its revisions, and the chain of executions and inputs behind it. An origin of unknown means that nothing recorded proves it: never guess it.',
  parameters: z.strictObject({ path: PathSchema.describe('File of your workspace') }),
  effect: 'read',
  concurrency: 'shared',
  replay: 'pure',
  deadlineMs: 60_000,
  details: GetFileProvenanceDetailsSchema,
  handler: async (args, call: ToolCall) => {
    const { projectId, sessionId, agentId, minPosition } = call.place
    const path = normalisePath(args.path)
    const answer = await call.provenance.getFileProvenance(
      { projectId, sessionId, agentId, pathOrArtifact: path, version: 0, minPosition },
      { signal: call.signal },
    )
    const details = parseDetails(answer.detailsJson)
    return okResult(provenanceText(path, details), details)
  },
})

function parseDetails(detailsJson: string): z.infer<typeof ProvenanceSchema> {
  try {
    return ProvenanceSchema.parse(JSON.parse(detailsJson))
  } catch (cause) {
    throw new PlatformError('bug', 'the provenance view sent no provenance', { cause })
  }
}
