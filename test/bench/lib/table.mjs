import { verdictOf } from './bench.mjs'

const shown = (value) => {
  if (value === undefined || value === null || Number.isNaN(value)) return '–'
  if (typeof value !== 'number') return String(value)
  if (value >= 100) return String(Math.round(value))
  return value.toFixed(value >= 10 ? 1 : 2)
}

const ratioText = ({ ratio, against }) =>
  ratio
    ? `${shown(ratio.median)}× ${against ?? ''} (${shown(ratio.low)}–${shown(ratio.high)})`
    : '–'

/** One result as a row. */
function rowOf(row) {
  const { id, what, goal = '–', ours, unit = '', floor, peers = '–' } = row
  const cells = [id, what, goal, `${shown(ours)} ${unit}`, shown(floor), peers]
  return `| ${[...cells, ratioText(row), verdictOf(row)].map((cell) => cell.trim()).join(' | ')} |`
}

/** The results as a page. */
export function toMarkdown({ facts, rows, notes, rounds }) {
  const told = Object.entries(facts).map(([name, value]) => `- ${name}: ${value}`)
  return [
    '# What was measured',
    '',
    `Written by \`make bench\`. Only ratios travel: each figure stands beside its floor or its peer of the same run; contestants are processes of their own, measured in turn (A/B/A/B) in ${rounds} rounds; a ratio is the median of the ratios of the rounds, in brackets the smallest and the largest.`,
    '',
    ...told,
    '',
    '| id | what | goal | ours | floor | peers | ratio | verdict |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(rowOf),
    '',
    ...notes,
    '',
  ].join('\n')
}
