// Adds up vitest's reports: one closing line for people and machines.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const directory = process.argv[2]
const totals = { passed: 0, failed: 0, skipped: 0 }
for (const file of readdirSync(directory)) {
  const report = JSON.parse(readFileSync(join(directory, file), 'utf8'))
  totals.passed += report.numPassedTests
  totals.failed += report.numFailedTests
  totals.skipped += report.numPendingTests + report.numTodoTests
}
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`)
if (totals.passed === 0 || totals.failed > 0) process.exitCode = 1
