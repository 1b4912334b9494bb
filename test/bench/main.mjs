import { readFile, rm, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createBench } from './lib/bench.mjs'
import { collectFacts } from './lib/facts.mjs'
import { benchDirectory } from './lib/places.mjs'
import { openResults } from './lib/results.mjs'
import { toMarkdown } from './lib/table.mjs'

const benchmarks = {
  P1: 'p1-append',
  P2: 'p2-step',
  P3: 'p3-replay',
  P4: 'p4-resume',
  P6: 'p6-sandbox',
  P7: 'p7-tool-call',
  P9: 'p9-long',
  SNAP: 'snapshot',
  EXEC: 'executions',
  START: 'start',
}
const quietLoad = 2
const log = (line) => process.stderr.write(`${line}\n`)

const { values } = parseArgs({
  options: {
    /** P1,P3: only these; the results of the others stay. */
    only: { type: 'string' },
    /** One round with little work, to see that everything runs; says nothing. */
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    /** Waits so many minutes at most for a machine that is at rest. */
    wait: { type: 'string', default: '0' },
  },
})
const { quick } = values
const rounds = Number(values.rounds ?? (quick ? 1 : 5))
const wanted = values.only?.toUpperCase().split(',') ?? Object.keys(benchmarks)
const unknown = wanted.filter((id) => !(id in benchmarks))
if (unknown.length > 0) throw new Error(`--only: ${unknown} is none of ${Object.keys(benchmarks)}`)

async function untilQuiet(minutes) {
  const until = Date.now() + minutes * 60_000
  while (loadavg()[0] >= quietLoad && Date.now() < until) await pause(5_000)
}

async function measure(id, facts, results) {
  await untilQuiet(Number(values.wait))
  const benchmark = await import(`./benchmarks/${benchmarks[id]}.mjs`)
  const now = { ...facts, rounds, load: loadavg()[0].toFixed(2) }
  log(`— ${id} ${benchmark.title} (load ${now.load})`)
  results.forget(id)
  const bench = await createBench({ id, facts: now, quick, rounds, results, log })
  const leave = () => void bench[Symbol.asyncDispose]().finally(() => process.exit(130))
  process.once('SIGINT', leave).once('SIGTERM', leave)
  try {
    await benchmark.run(bench)
  } catch (error) {
    log(String(error.stack))
    bench.record({ what: `failed: ${String(error.message).split('\n')[0]}`, missing: true })
    process.exitCode = 1
  } finally {
    process.off('SIGINT', leave).off('SIGTERM', leave)
    await bench[Symbol.asyncDispose]()
  }
}

const resultsPath = join(benchDirectory, quick ? 'quick.jsonl' : 'results.jsonl')
if (quick) await rm(resultsPath, { force: true })
const results = openResults(resultsPath)
const facts = collectFacts()
log(JSON.stringify(facts))
for (const id of wanted) await measure(id, facts, results)

const order = Object.keys(benchmarks)
const rows = results.rows().sort((left, right) => order.indexOf(left.id) - order.indexOf(right.id))
const notes = await readFile(join(benchDirectory, 'NOTES.md'), 'utf8').catch(() => '')
const page = toMarkdown({ rows, notes })
if (!quick) await writeFile(join(benchDirectory, 'RESULTS.md'), page)
process.stdout.write(page)
