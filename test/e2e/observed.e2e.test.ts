import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Constellation, startConstellation } from '../harness/constellation.js'
import { type EventLine, eventsOf } from '../harness/local-stack.js'
import { type TraceCollector, startTraceCollector } from '../harness/trace-collector.js'

const turns = [
  {
    text: '',
    toolCalls: [{ id: 's1', name: 'run_shell', arguments: { command: 'true', wait_ms: 30_000 } }],
  },
  { text: 'Done.' },
]

let collector: TraceCollector
let stack: Constellation
let events: readonly EventLine[]

/** One run on processes that tell a collector what they do. */
beforeAll(async () => {
  collector = await startTraceCollector()
  const replicas = { orchestrators: 1, runners: 1, natsUsers: true }
  stack = await startConstellation({ ...replicas, env: collector.env })
  const file = join(stack.folder, 'observed.json')
  await writeFile(file, JSON.stringify({ turns }))
  const model = `scripted:${file}`
  const outcome = await stack.scid('run', 'go', '--model', model, '--approve', 'always', '--json')
  events = eventsOf(outcome)
}, 240_000)

afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await collector[Symbol.asyncDispose]()
})

const runId = (): string => String(events[0]?.data.runId)
const spansOf = (name: string) =>
  collector.spans.filter(
    (span) => span.name === name && span.attributes['sciencediscovery.run_id'] === runId(),
  )

async function metricsOf(name: string): Promise<string> {
  const port = stack.process(name).spec.env.METRICS_PORT
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
}

describe('a run that is observed', () => {
  test('a turn and its call are one trace, by the id of the run; the next turn is linked to it', async () => {
    expect(events.at(-1)?.type).toBe('run.completed')
    await until(
      'the spans arrive',
      () => spansOf('turn').length === 2 && spansOf('call').length > 0,
    )
    const [call] = spansOf('call')
    const [first, second] = [1, 2].map((turn) =>
      spansOf('turn').find((span) => span.attributes['sciencediscovery.turn'] === turn),
    )
    expect(call).toMatchObject({ traceId: first?.traceId, service: 'agent-orchestrator' })
    expect(call?.attributes).toMatchObject({ 'gen_ai.tool.name': 'run_shell' })
    expect(second?.traceId).not.toBe(first?.traceId)
    expect(second?.linkedTo).toEqual([first?.traceId])
  })

  test('what gateway and runner do for the call is in its trace', async () => {
    const traceId = (): string | undefined => spansOf('call')[0]?.traceId
    const services = (): ReadonlySet<string> =>
      new Set(
        collector.spans.filter((span) => span.traceId === traceId()).map(({ service }) => service),
      )
    await until('all of them tell', () => services().size === 3)
    expect(services()).toEqual(new Set(['agent-orchestrator', 'tool-gateway', 'execution-runner']))
  })

  test('every process serves its metrics; they name stages, never runs', async () => {
    const orchestrator = await metricsOf('orchestrator-0')
    expect(orchestrator).toMatch(/step_seconds_count\{stage="model",outcome="ok"\} 2\n/)
    expect(orchestrator).toMatch(/step_seconds_count\{stage="tool",outcome="ok"\} 1\n/)
    expect(orchestrator).toMatch(/view_lag_commits\{view="runs",stream="RUNS_0"\} \d+\n/)
    expect(orchestrator).toMatch(/cost_usd_total\{model="[^"]+"\} 0\n/)
    const runner = await metricsOf('runner-0')
    expect(runner).toMatch(/sandbox_start_seconds_count\{outcome="ok"\} 1\n/)
    expect(runner).toMatch(/execution_seconds_count\{reason="exit"\} 1\n/)
    expect(runner).toMatch(/placements_waiting\{pool="local"\} 0\n/)
    for (const name of ['gateway', 'artifact-store', 'console']) {
      expect(await metricsOf(name)).toContain('sciencediscovery_rpc_seconds_count')
    }
    expect(orchestrator).not.toContain(runId())
  })
})
