import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startConstellation } from '../harness/constellation.js'
import { type EventLine, startTestStack } from '../harness/local-stack.js'
import { checkCalls } from './check-calls.js'
import { checkProvenance } from './check-provenance.js'
import { checkResults } from './check-results.js'
import { loadExpectation } from './expectation.js'
import { type Platform, type Played, playScenario } from './play-scenario.js'

/** What a scenario needs of Debian, and the program that shows it is there. */
const programs: Readonly<Record<string, string>> = {
  python3: '/usr/bin/python3',
  'r-base-core': '/usr/bin/Rscript',
}

async function play(platform: Platform, name: string): Promise<Played> {
  const expectation = await loadExpectation(name)
  for (const needed of expectation.requires.debian)
    expect(existsSync(programs[needed] ?? needed), `${needed} is installed`).toBe(true)
  const played = await playScenario(platform, expectation)
  await checkCalls(played)
  await checkResults(played)
  await checkProvenance(played)
  return played
}

const ofType = (events: readonly EventLine[], type: string): readonly EventLine[] =>
  events.filter((event) => event.type === type)

const platforms = [
  ['locally', startTestStack],
  ['distributed', startConstellation],
] as const

describe.each(platforms)('a scientific run %s', (_where, start) => {
  let platform: Platform & AsyncDisposable
  beforeAll(async () => {
    platform = await start()
  }, 240_000)
  afterAll(() => platform[Symbol.asyncDispose]())

  test('SC-01 quality control of paired reads, with a failing first attempt', async () => {
    const { events } = await play(platform, 'sc-01-fastq-qc')
    const executions = ofType(events, 'execution.completed')
    expect(executions.map(({ data }) => [data.callId, data.state])).toEqual([
      ['s1', 'failed'],
      ['s2', 'completed'],
    ])
    const plans = ofType(events, 'plan.updated')
    expect(plans).toHaveLength(2)
    expect(JSON.stringify(plans.at(-1)?.data)).not.toMatch(/pending|in_progress/)
    const firstTurn = ofType(events, 'model.turn.completed')[0]
    expect(JSON.stringify(firstTurn?.data).match(/"(p1|l1|b1)"/g)).toEqual(['"p1"', '"l1"', '"b1"'])
  })

  test('SC-03 Michaelis-Menten fit in R over several executions', async () => {
    const played = await play(platform, 'sc-03-r-enzyme-kinetics')
    const { events } = played
    const changedBy = (callId: string): readonly EventLine[] =>
      ofType(events, 'workspace.changed').filter(({ data }) => data.callId === callId)
    expect(changedBy('s3')).toEqual([])
    expect(ofType(events, 'artifact.declared').map(({ data }) => data.callId)).not.toContain('d5')
  })
})
