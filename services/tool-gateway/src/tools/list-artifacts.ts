import { defineTool, okResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type ToolCall } from '../tool-call.js'
import { ArtifactSchema, artifactText, toArtifact } from './artifact.js'

/** What `list_artifacts` tells programs. */
export const ListArtifactsDetailsSchema = z.strictObject({
  artifacts: z.array(ArtifactSchema),
  truncated: z.boolean(),
})

const most = 200

/** S-04: the results of the whole project, newest version each. */
export const listArtifacts = defineTool({
  name: 'list_artifacts',
  description: `Lists the artifacts of the project, those of other sessions included, with the newest version of each. At most ${most}.`,
  parameters: z.strictObject({}),
  effect: 'read',
  concurrency: 'shared',
  replay: 'pure',
  deadlineMs: 60_000,
  details: ListArtifactsDetailsSchema,
  handler: async (_args, call: ToolCall) => {
    const { projectId, minPosition } = call.place
    const request = { projectId, pageSize: most, pageToken: '', minPosition }
    const page = await call.artifacts.listArtifacts(request, { signal: call.signal })
    const artifacts = page.artifacts.map(toArtifact)
    const truncated = page.nextPageToken !== ''
    const lines = artifacts.map(artifactText)
    if (lines.length === 0) lines.push('The project has no artifacts yet.')
    if (truncated) {
      lines.push(`[the first ${most} by name; read others by their name with read_artifact]`)
    }
    return okResult(lines.join('\n'), { artifacts, truncated })
  },
})
