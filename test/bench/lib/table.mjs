const shown = (value) => {
  if (value === undefined || value === null || Number.isNaN(value)) return '–'
  if (typeof value !== 'number') return String(value)
  if (value >= 100) return String(Math.round(value))
  return value.toFixed(value >= 10 ? 1 : 2)
}

/** In a word or two whether the goal is met. */
export function verdictOf({ holds, missing }) {
  if (missing) return 'left out'
  if (holds === undefined) return '–'
  return holds ? 'met' : '**missed**'
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
export function toMarkdown({ rows, notes }) {
  const { load: _load, rounds: _rounds, commit: _commit, ...facts } = rows.at(-1)?.facts ?? {}
  const told = Object.entries(facts).map(([name, value]) => `- ${name}: ${value}`)
  // Results of several runs may stand on one page.
  const runs = new Map(rows.map((row) => [row.id, row.facts]))
  const runText = [...runs].map(([id, of]) => `${id} ${of.commit}, ${of.rounds} rounds, ${of.load}`)
  return [
    '# What was measured',
    '',
    `Written by \`make bench\`. Only ratios travel: each figure stands beside its floor or its peer of the same run. Contestants are processes of their own, measured in turn, round by round, after one round that does not count; a ratio is the median of the ratios of the rounds, in brackets the smallest and the largest.`,
    '',
    ...told,
    `- commit, rounds and load average at the start of each: ${runText.join('; ')}`,
    '',
    '| id | what | goal | ours | floor | peers | ratio | verdict |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(rowOf),
    '',
    notes,
  ].join('\n')
}
