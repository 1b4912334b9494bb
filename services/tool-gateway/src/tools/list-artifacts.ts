import { defineTool, okResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type ToolCall } from '../tool-call.js'
import { ArtifactSchema, artifactText, toArtifact } from './artifact.js'
import { AfterSchema, ListPageSchema, listPage } from './list-page.js'

/** What `list_artifacts` tells programs. */
export const ListArtifactsDetailsSchema = z.strictObject({
  artifacts: z.array(ArtifactSchema),
  truncated: z.boolean(),
  page: ListPageSchema,
})

const most = 200

/** S-04: the results of the whole project, newest version each. */
export const listArtifacts = defineTool({
  name: 'list_artifacts',
  description: `Lists the artifacts of the project, those of other sessions included, with the newest version of each. At most ${most} at a time; the answer says how to go on.`,
  parameters: z.strictObject({ after: AfterSchema }),
  effect: 'read',
  concurrency: 'shared',
  replay: 'pure',
  deadlineMs: 60_000,
  details: ListArtifactsDetailsSchema,
  handler: async ({ after = '' }, call: ToolCall) => {
    const { projectId, minPosition } = call.place
    const request = { projectId, pageSize: most, pageToken: after, minPosition }
    const page = await call.artifacts.listArtifacts(request, { signal: call.signal })
    const artifacts = page.artifacts.map(toArtifact)
    const truncated = page.nextPageToken !== ''
    const lines = artifacts.map(artifactText)
    if (lines.length === 0) {
      lines.push(
        after === '' ? 'The project has no artifacts yet.' : 'There are no more artifacts.',
      )
    }
    if (truncated) {
      lines.push(`[there are more; go on with after ${JSON.stringify(page.nextPageToken)}]`)
    }
    const details = { artifacts, truncated, page: listPage(truncated, page.nextPageToken) }
    return okResult(lines.join('\n'), details)
  },
})
