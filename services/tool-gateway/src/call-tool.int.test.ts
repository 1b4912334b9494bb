import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDirectoryBlobStore } from '@sciencediscovery/blob-store'
import { PlatformError } from '@sciencediscovery/kernel'
import { createLogger } from '@sciencediscovery/service-kit'
import { type Tool, defineTool, okResult } from '@sciencediscovery/tool-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { callTool } from './call-tool.js'
import { catalogueOf } from './catalogue.js'
import { type Context } from './context.js'
import { type BoundedResult } from './output-boundary.js'
import { place } from './testing/gateway-fixture.js'
import { type Owners, type ToolCall } from './tool-call.js'

let directory: string
let ctx: Context
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'call-tool-'))
  const unasked = (): Promise<never> => Promise.reject(new PlatformError('bug', 'not asked'))
  const owners: Owners = {
    pools: [],
    files: {
      listFiles: unasked,
      globFiles: unasked,
      grepFiles: unasked,
      readFile: unasked,
      writeFile: unasked,
      editFile: unasked,
      resolveFiles: unasked,
    },
    executions: {
      startExecution: unasked,
      waitExecution: unasked,
      listExecutions: unasked,
      cancelExecution: unasked,
      readLog: unasked,
      readOutput: async function* () {
        yield await unasked()
      },
    },
    artifacts: { declareArtifact: unasked, listArtifacts: unasked, readArtifact: unasked },
    transfers: {
      startTransfer: unasked,
      getTransfer: unasked,
      listTransfers: unasked,
      cancelTransfer: unasked,
    },
    provenance: { getFileProvenance: unasked },
    outputs: { findToolOutput: unasked },
  }
  ctx = {
    catalogue: catalogueOf([]),
    owners,
    probes: [],
    blobs: await createDirectoryBlobStore({ directory, fsync: false }),
    outputLimits: { maxBytes: 51_200, maxLines: 2_000, retentionBytes: 8_192 },
    readAdvice: { advisoryBytes: 65_536, strongAdvisoryBytes: 98_304 },
    here: { replicaId: 'gw-1', logger: createLogger('test', { level: 'silent' }) },
  }
})
afterAll(async () => {
  await rm(directory, { recursive: true })
})

function toolThat(
  replay: 'pure' | 'keyed',
  deadlineMs: number,
  handler: (call: ToolCall) => Promise<void>,
): Tool<ToolCall> {
  return defineTool({
    name: 'probe',
    description: 'A tool of this test.',
    parameters: z.strictObject({}),
    effect: 'read',
    concurrency: 'shared',
    replay,
    deadlineMs,
    details: z.strictObject({}),
    handler: async (_args, call: ToolCall) => {
      await handler(call)
      return okResult('done', {})
    },
  })
}

function call(tool: Tool<ToolCall>, signal = new AbortController().signal): Promise<BoundedResult> {
  const entry = catalogueOf([{ tool }]).find('science', { allow: [], deny: [] }, 'probe')
  const prepared = tool.prepare('science', '{}')
  if (!entry || !prepared.ok) throw new Error('the tool is not offered')
  const toolCall = {
    ...ctx.owners,
    blobs: ctx.blobs,
    readAdvice: ctx.readAdvice,
    callKey: 'run-1/c1',
    place,
    profile: 'science',
    signal,
  } as const
  return callTool(ctx, entry, prepared.call, toolCall)
}

const untilAborted = ({ signal }: ToolCall): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new PlatformError('cancelled', 'the call was cancelled', { cause: signal.reason }))
    })
  })

describe('a tool past its deadline', () => {
  test('X-05: is told to the model when the call had no effect', async () => {
    const answer = await call(toolThat('pure', 20, untilAborted))
    expect(answer.text).toBe(
      'TOOL_TIMEOUT: probe did not answer within 20 ms; ask for less, or try again later',
    )
  })

  test('X-12: fails the call when the effect may have happened', async () => {
    await expect(call(toolThat('keyed', 20, untilAborted))).rejects.toMatchObject({
      code: 'cancelled',
    })
  })

  test('is not what a caller who leaves looks like', async () => {
    const leaving = new AbortController()
    const answer = call(toolThat('pure', 60_000, untilAborted), leaving.signal)
    leaving.abort(new PlatformError('cancelled', 'the caller left'))
    await expect(answer).rejects.toMatchObject({ code: 'cancelled' })
  })

  test('0 sets no deadline', async () => {
    expect((await call(toolThat('pure', 0, () => Promise.resolve()))).text).toBe('done')
  })
})

describe('a tool that throws', () => {
  test('BR-061: an exception without words still gives words', async () => {
    const answer = await call(toolThat('pure', 0, () => Promise.reject(new Error(''))))
    expect(answer).toMatchObject({
      isError: true,
      text: 'TOOL_EXECUTION_FAILED: probe failed without saying why',
    })
  })

  test('X-01: what was thrown is told, cut at 1000 characters', async () => {
    const answer = await call(
      toolThat('pure', 0, () => Promise.reject(new Error('x'.repeat(5_000)))),
    )
    expect(answer.text.length).toBeLessThan(1_100)
    expect(answer.details).toMatchObject({ error: { code: 'TOOL_EXECUTION_FAILED', attempts: 1 } })
  })
})
