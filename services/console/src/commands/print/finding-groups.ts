import {
  Severity,
  type DiagnoseResponse,
} from '@sciencediscovery/proto-gen/operations/v1/operations_service'

/** How bad a finding is, worst first. */
export const severities = ['error', 'warning', 'ok'] as const
export type SeverityName = (typeof severities)[number]

/** One thing that was checked, for people and machines. */
export interface FindingRecord {
  readonly name: string
  readonly severity: SeverityName
  readonly message: string
  readonly remedy: string
}

/** The findings of one service, worst first. */
export interface FindingGroup {
  readonly service: string
  readonly worst: SeverityName
  readonly findings: readonly FindingRecord[]
}

const names: ReadonlyMap<number, SeverityName> = new Map([
  [Severity.SEVERITY_OK, 'ok'],
  [Severity.SEVERITY_WARNING, 'warning'],
  [Severity.SEVERITY_ERROR, 'error'],
])

/** Findings by service, the worst service first. `SERVICE/CHECK` names the service a proxy asked. */
export function groupFindings({ service, findings }: DiagnoseResponse): readonly FindingGroup[] {
  const groups = new Map<string, FindingRecord[]>()
  for (const { name, severity, message, remedy } of findings) {
    const slash = name.indexOf('/')
    const owner = slash < 0 ? service : name.slice(0, slash)
    const record = {
      name: name.slice(slash + 1),
      severity: names.get(severity) ?? 'warning',
      message,
      remedy,
    }
    groups.set(owner, [...(groups.get(owner) ?? []), record])
  }
  return [...groups].map(([owner, records]) => toGroup(owner, records)).sort(byBadness)
}

function toGroup(service: string, records: readonly FindingRecord[]): FindingGroup {
  const findings = [...records].sort((one, other) => rank(one.severity) - rank(other.severity))
  return { service, worst: findings[0]?.severity ?? 'ok', findings }
}

function byBadness(one: FindingGroup, other: FindingGroup): number {
  return rank(one.worst) - rank(other.worst)
}

function rank(severity: SeverityName): number {
  return severities.indexOf(severity)
}
