import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createBench } from './lib/bench.mjs'
import { collectFacts } from './lib/facts.mjs'
import { benchDirectory } from './lib/places.mjs'
import { toMarkdown } from './lib/table.mjs'

const benchmarks = {
  P1: 'p1-append',
  P2: 'p2-step',
  P3: 'p3-replay',
  P4: 'p4-resume',
  P6: 'p6-sandbox',
  P7: 'p7-tool-call',
  P9: 'p9-long',
  START: 'start',
}
const { values } = parseArgs({
  options: { only: { type: 'string' }, quick: { type: 'boolean' }, rounds: { type: 'string' } },
})
const quick = values.quick ?? false
const rounds = Number(values.rounds ?? (quick ? 1 : 5))
const wanted = values.only?.toUpperCase().split(',')
const resultsPath = join(benchDirectory, quick ? 'quick.jsonl' : 'results.jsonl')
const log = (line) => process.stderr.write(`${line}\n`)

const facts = collectFacts()
log(JSON.stringify(facts))
if (!wanted) await rm(resultsPath, { force: true })
const rows = []
for (const [id, name] of Object.entries(benchmarks)) {
  if (wanted && !wanted.includes(id)) continue
  const benchmark = await import(`./benchmarks/${name}.mjs`)
  log(`— ${benchmark.id} ${benchmark.title}`)
  const bench = await createBench({ id: benchmark.id, facts, quick, rounds, resultsPath, log })
  try {
    await benchmark.run(bench)
  } catch (error) {
    log(String(error.stack))
    bench.rows.push({ id: benchmark.id, what: String(error.message).slice(0, 200), missing: true })
    process.exitCode = 1
  } finally {
    rows.push(...bench.rows)
    await bench[Symbol.asyncDispose]()
  }
}
const notes = await readFile(join(benchDirectory, 'NOTES.md'), 'utf8').catch(() => '')
const page = toMarkdown({ facts, rows, rounds, notes: notes.split('\n') })
if (!quick) await writeFile(join(benchDirectory, 'RESULTS.md'), page)
process.stdout.write(page)
