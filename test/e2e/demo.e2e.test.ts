import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type EventLine, type TestStack, eventsOf, startTestStack } from '../harness/local-stack.js'

const demo = fileURLToPath(new URL('../../deploy/demo/', import.meta.url))
const uploadDigest = '968bdaa31e3943155116961a406a4938fc0c82234858454c471abfffe8adab00'

const InputSchema = z.object({ path: z.string(), sha256: z.string(), origin: z.string() })
const ProvenanceSchema = z.object({
  origin: z.string(),
  revisions: z.array(
    z.object({
      path: z.string(),
      sha256: z.string(),
      callId: z.string(),
      parentRevisionId: z.string().nullish(),
    }),
  ),
  upstream: z.array(
    z.object({
      callId: z.string(),
      kind: z.string(),
      event: z.object({ stream: z.string(), position: z.number() }),
      inputs: z.array(InputSchema.extend({ evidence: z.string() })),
    }),
  ),
})
type Provenance = z.infer<typeof ProvenanceSchema>

let stack: TestStack
let events: readonly EventLine[]
let sessionId: string
let runId: string
beforeAll(async () => {
  stack = await startTestStack()
  const task = await readFile(`${demo}task.txt`, 'utf8')
  const input = `${demo}ls_orchid.gbk.gz=data/ls_orchid.gbk.gz`
  const model = `scripted:${demo}script.json`
  const run = await stack.scid(
    ...['run', task, '--model', model, '--approve', 'always', '--input', input, '--json'],
  )
  expect(run.code, run.stderr).toBe(0)
  events = eventsOf(run)
  sessionId = String(events[0]?.data.sessionId)
  runId = String(events[0]?.data.runId)
}, 180_000)
afterAll(() => stack[Symbol.asyncDispose]())

async function provenanceOf(name: string): Promise<Provenance> {
  const shown = await stack.scid('provenance', name, '--json')
  expect(shown.code, shown.stderr).toBe(0)
  return ProvenanceSchema.parse(JSON.parse(shown.stdout))
}

const stepOf = ({ upstream }: Provenance, callId: string) =>
  upstream.find((step) => step.callId === callId)

describe('the demo › a real analysis on embedded defaults', () => {
  test('completes, with one failed execution that is repaired', () => {
    expect(events.at(-1)?.type).toBe('run.completed')
    const executions = events.filter(({ type }) => type === 'execution.completed')
    expect(executions).toHaveLength(3)
    const ends = events.filter(({ type }) => type === 'tool.call.completed')
    const failed = ends.filter(({ data }) => data.isError === true)
    expect(failed.map(({ data }) => data.callId)).toEqual(['s1'])
  })

  test('its plan has no open step', async () => {
    const plan = await stack.scid('plan', runId, '--json')
    expect(plan.code, plan.stderr).toBe(0)
    expect(plan.stdout).toContain('Declare the results')
    expect(plan.stdout).toContain('completed')
    expect(plan.stdout).not.toMatch(/pending|in_progress/)
  })

  test('its artifacts are the upload and the two declared files', async () => {
    const shown = await stack.scid('artifacts', '--json')
    const { artifacts } = z
      .object({
        artifacts: z.array(z.object({ name: z.string(), version: z.number(), origin: z.string() })),
      })
      .parse(JSON.parse(shown.stdout))
    const found = artifacts.map(({ name, version, origin }) => `${name} ${version} ${origin}`)
    expect(found.toSorted()).toEqual([
      'data/ls_orchid.gbk.gz 1 upload',
      'results/orchids.csv 1 agent',
      'results/orchids.svg 1 agent',
    ])
  })

  test('the figure leads back through its generator and the table to the upload, hash by hash', async () => {
    const figure = await provenanceOf('results/orchids.svg')
    expect(figure.revisions.map(({ callId }) => callId)).toEqual(['s3'])
    const plotted = stepOf(figure, 's3')
    expect(plotted?.inputs.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['results/orchids.csv', 'scripts/plot.py']),
    )
    const tabulated = stepOf(figure, 's2')
    expect(tabulated?.inputs).toContainEqual(
      expect.objectContaining({
        path: 'data/ls_orchid.gbk.gz',
        sha256: uploadDigest,
        origin: 'upload',
      }),
    )
    for (const { event } of figure.upstream) {
      const cited = events[event.position - 1]
      expect(cited?.stream).toBe(event.stream)
    }
  })

  test('the table was made by the repaired script with both edits, not by the failed execution', async () => {
    const table = await provenanceOf('results/orchids.csv')
    expect(table.revisions.map(({ callId }) => callId)).toEqual(['s2'])
    const script = await provenanceOf('scripts/tabulate.py')
    expect(script.revisions.map(({ callId }) => callId)).toEqual(['w1', 'e1', 'e2'])
    expect(stepOf(table, 's2')?.inputs).toContainEqual(
      expect.objectContaining({
        path: 'scripts/tabulate.py',
        sha256: script.revisions.at(-1)?.sha256,
      }),
    )
    expect(table.upstream.map(({ callId }) => callId)).not.toContain('s1')
  })

  test('the model was told the same provenance as `scid` prints', async () => {
    const told = events.find(
      ({ data, type }) => type === 'tool.call.completed' && data.callId === 'g1',
    )
    const printed = await stack.scid(
      'provenance',
      'results/orchids.svg',
      '--session',
      sessionId,
      '--json',
    )
    expect(told?.data.details).toEqual(JSON.parse(printed.stdout))
  })
})
