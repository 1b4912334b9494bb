import { PlatformError } from '@sciencediscovery/kernel'

/**
 * Ids say where their stream is, so that any service finds it without a directory:
 * `s-<hash>-<project>`, `r-<shard>-<hash>-<project>`, `a-<hash>-<project>`, `w-<pool>-<hash>-<project>`,
 * `e-<hash>-<workspace id>`. The project comes last because it may hold dashes itself.
 */
const projectPattern = '[A-Za-z0-9_-]{1,64}'
const hashPattern = '[0-9a-f]{16}'
const poolPattern = '[a-z0-9]{1,32}'

const patterns = {
  session: new RegExp(`^s-(${hashPattern})-(${projectPattern})$`),
  run: new RegExp(`^r-(\\d{1,3})-(${hashPattern})-(${projectPattern})$`),
  workspace: new RegExp(`^w-(${poolPattern})-(${hashPattern})-(${projectPattern})$`),
  execution: new RegExp(`^e-(${hashPattern})-(w-.+)$`),
  project: new RegExp(`^${projectPattern}$`),
}

function match(kind: keyof typeof patterns, id: string): readonly string[] {
  const found = patterns[kind].exec(id)
  if (!found)
    throw new PlatformError('not_found', `${kind} ${JSON.stringify(id.slice(0, 100))} not found`)
  return found
}

/** Whether a project may be called that: letters, digits, '_' and '-', at most 64. */
export function isProjectId(id: string): boolean {
  return patterns.project.test(id)
}

/** A session id from a hash of what created it. */
export function sessionIdOf(hash16: string, projectId: string): string {
  return `s-${hash16}-${projectId}`
}

/** A run id from a hash of what created it. */
export function runIdOf(shard: number, hash16: string, projectId: string): string {
  return `r-${shard}-${hash16}-${projectId}`
}

/** The main agent of a session. */
export function mainAgentIdOf(sessionId: string): string {
  return `a-${sessionId.slice(2)}`
}

/** The workspace of an agent on a pool. */
export function workspaceIdOf(agentId: string, runnerId: string): string {
  return `w-${runnerId}-${agentId.slice(2)}`
}

/** An execution id from a hash of its call key. */
export function executionIdOf(hash16: string, workspaceId: string): string {
  return `e-${hash16}-${workspaceId}`
}

/** The project in a session id; `not_found` for anything else. */
export function projectOfSession(sessionId: string): string {
  return match('session', sessionId)[2] ?? ''
}

/** The project in a run id; `not_found` for anything else. */
export function projectOfRun(runId: string): string {
  return match('run', runId)[3] ?? ''
}

/** Pool and project in a workspace id; `not_found` for anything else. */
export function placeOfWorkspace(workspaceId: string): {
  readonly runnerId: string
  readonly projectId: string
} {
  const found = match('workspace', workspaceId)
  return { runnerId: found[1] ?? '', projectId: found[3] ?? '' }
}

/** The workspace in an execution id; `not_found` for anything else. */
export function workspaceOfExecution(executionId: string): string {
  return match('execution', executionId)[2] ?? ''
}

/** The project in an id of that kind; `not_found` for anything else. */
export function projectOf(
  kind: 'project' | 'session' | 'run' | 'workspace' | 'execution',
  id: string,
): string {
  switch (kind) {
    case 'project':
      return match('project', id)[0] ?? ''
    case 'session':
      return projectOfSession(id)
    case 'run':
      return projectOfRun(id)
    case 'workspace':
      return placeOfWorkspace(id).projectId
    case 'execution':
      return placeOfWorkspace(workspaceOfExecution(id)).projectId
  }
}

/** Subject of a run's stream. */
export function runSubject(runId: string): string {
  const found = match('run', runId)
  return `runs.${found[1] ?? ''}.${found[3] ?? ''}.${runId}`
}

/** Subject of a session's stream. */
export function sessionSubject(sessionId: string): string {
  return `sessions.${projectOfSession(sessionId)}.${sessionId}`
}

/** Subject of a workspace's stream. */
export function workspaceSubject(workspaceId: string): string {
  return `workspaces.${placeOfWorkspace(workspaceId).projectId}.${workspaceId}`
}

/** Subject of a project's stream. */
export function projectSubject(projectId: string): string {
  return `projects.${projectId}.${projectId}`
}

/** Subject of an artifact's stream. */
export function artifactSubject(projectId: string, artifactId: string): string {
  return `artifacts.${projectId}.${artifactId}`
}

/** Subject of a transfer's stream. */
export function transferSubject(projectId: string, transferId: string): string {
  return `transfers.${projectId}.${transferId}`
}
