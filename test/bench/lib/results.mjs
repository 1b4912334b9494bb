import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'

/** One JSON line per result; what is measured again replaces what was measured before. */
export function openResults(path) {
  const read = () =>
    existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line))
      : []
  return {
    rows: read,
    forget: (id) => {
      const kept = read().filter((row) => row.id !== id)
      writeFileSync(path, kept.map((row) => `${JSON.stringify(row)}\n`).join(''))
    },
    add: (row) => appendFileSync(path, `${JSON.stringify(row)}\n`),
  }
}
