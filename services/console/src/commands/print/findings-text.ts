import type { Palette } from '../../context.js'
import type { FindingGroup, FindingRecord } from './finding-groups.js'
import { printable } from './printable.js'

/** Findings below their service, each with its remedy. */
export function findingsText(groups: readonly FindingGroup[], colors: Palette): string {
  const blocks = groups.map(({ service, findings }) => {
    const lines = findings.map((finding) => findingText(finding, colors))
    return `${colors.bold(printable(service))}\n${lines.join('')}`
  })
  return `${blocks.join('\n')}${conclusion(groups)}`
}

function findingText({ name, severity, message, remedy }: FindingRecord, colors: Palette): string {
  const line = `  ${marks(colors)[severity]} ${printable(name)}: ${printable(message)}\n`
  return remedy === '' || severity === 'ok'
    ? line
    : `${line}      ${colors.cyan(printable(remedy))}\n`
}

function marks(colors: Palette): Record<FindingRecord['severity'], string> {
  return { error: colors.red('✘'), warning: colors.yellow('!'), ok: colors.green('✔') }
}

function conclusion(groups: readonly FindingGroup[]): string {
  const all = groups.flatMap(({ findings }) => findings)
  const count = (severity: FindingRecord['severity']): number =>
    all.filter((finding) => finding.severity === severity).length
  return `\n${all.length} checks: ${count('error')} errors, ${count('warning')} warnings\n`
}
