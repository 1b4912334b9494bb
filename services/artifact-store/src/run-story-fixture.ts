import { createHash } from 'node:crypto'
import { type RecordedEvent } from '@sciencediscovery/event-store'
import {
  type ArtifactDeclared,
  type ExecutionCompleted,
  type ExecutionInput,
  type FileChange,
  type RunStarted,
  type ToolCallCompleted,
  type ToolCallRequested,
  type WorkspaceChanged,
} from '@sciencediscovery/run-events'

/** SHA-256 of a text: contents in stories are named by a word. */
export function shaOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Who a story is about. */
export interface Cast {
  readonly projectId: string
  readonly sessionId: string
  readonly agentId: string
  readonly workspaceId: string
  readonly runId: string
}

/** The cast of the main agent of a session, by hashes of 16 hex digits. */
export function castOf(projectId: string, sessionHash: string, runHash = sessionHash): Cast {
  return {
    projectId,
    sessionId: `s-${sessionHash}-${projectId}`,
    agentId: `a-${sessionHash}-${projectId}`,
    workspaceId: `w-local-${sessionHash}-${projectId}`,
    runId: `r-1-${runHash}-${projectId}`,
  }
}

const noTree = '0'.repeat(64)

/** Builds the events of a run as the orchestrator writes them. Times rise by a second with each event. */
export class RunStory {
  readonly #cast: Cast
  readonly #events: RecordedEvent[] = []
  #second = 10

  constructor(cast: Cast, startsAtSecond = 10) {
    this.#cast = cast
    this.#second = startsAtSecond
  }

  get events(): readonly RecordedEvent[] {
    return this.#events
  }

  /** The changes only, as they are on the workspace's own stream too. */
  get workspaceEvents(): readonly RecordedEvent[] {
    return this.#events.filter(({ type }) => type === 'workspace.changed')
  }

  started(): this {
    const { projectId, sessionId, runId, agentId, workspaceId } = this.#cast
    const data: RunStarted['data'] = {
      projectId,
      sessionId,
      runId,
      agentId,
      workspaceId,
      runnerId: 'local',
      environmentId: '',
      trigger: { kind: 'message', id: 'm1' },
      goal: 'quality control',
      model: 'scripted:x',
      profile: 'science',
      toolPolicy: { allow: [], deny: [] },
      systemPrompt: { version: '1', digest: noTree },
      conversationRef: null,
      turnsBefore: 0,
      limits: {
        maxModelTurns: 10,
        maxModelRetries: 0,
        idleMs: 0,
        wallMs: 0,
        maxTokens: 0,
        maxCostUsd: 0,
      },
      at: this.#now(),
    }
    return this.#add('run.started', data)
  }

  /** A file tool that changes a file. */
  fileTool(callId: string, name: string, changes: readonly FileChange[]): this {
    this.#requested(callId, name)
    this.#changed(callId, '', changes)
    return this.#completed(callId, name)
  }

  /** A shell call: what it could read, and what it changed. */
  shell(
    callId: string,
    state: ExecutionCompleted['data']['state'],
    inputs: readonly ExecutionInput[],
    changes: readonly FileChange[],
  ): this {
    const executionId = `e-${shaOf(callId).slice(0, 16)}-${this.#cast.workspaceId}`
    this.#requested(callId, 'run_shell')
    const startedAt = this.#now()
    const data: ExecutionCompleted['data'] = {
      effectId: `exec-${this.#cast.runId}-${callId}`,
      callId,
      workspaceId: this.#cast.workspaceId,
      executionId,
      runnerId: 'local',
      state,
      exitCode: state === 'completed' ? 0 : 1,
      reason: state === 'completed' ? '' : 'exit_code',
      command: { digest: shaOf(callId), preview: `command of ${callId}` },
      environment: { id: 'base', revision: 'rev-1' },
      startedAt,
      finishedAt: this.#now(),
      stdoutBytes: 0,
      stderrBytes: 0,
      inputs: { items: [...inputs] },
    }
    this.#add('execution.completed', data)
    if (changes.length > 0) this.#changed(callId, executionId, changes)
    return this.#completed(callId, 'run_shell')
  }

  /** The effect of a declaration. */
  declared(data: ArtifactDeclared['data']): this {
    return this.#add('artifact.declared', data)
  }

  #requested(callId: string, name: string): void {
    const data: ToolCallRequested['data'] = {
      callId,
      name,
      turn: 1,
      attempt: 1,
      writer: 'orc-1',
      at: this.#now(),
    }
    this.#add('tool.call.requested', data)
  }

  #completed(callId: string, name: string): this {
    const data: ToolCallCompleted['data'] = {
      callId,
      name,
      isError: false,
      text: 'done',
      details: { json: {} },
    }
    return this.#add('tool.call.completed', data)
  }

  #changed(callId: string, executionId: string, changes: readonly FileChange[]): void {
    const data: WorkspaceChanged['data'] = {
      effectId: `change-${this.#cast.runId}-${callId}`,
      callId,
      workspaceId: this.#cast.workspaceId,
      runnerId: 'local',
      executionId,
      origin: 'agent',
      baseTree: null,
      tree: noTree,
      created: countOf(changes, 'created'),
      modified: countOf(changes, 'modified'),
      deleted: countOf(changes, 'deleted'),
      changes: { items: [...changes] },
      at: this.#now(),
    }
    this.#add('workspace.changed', data)
  }

  #add(type: string, data: unknown): this {
    this.#events.push({ type, v: 1, data })
    return this
  }

  #now(): string {
    this.#second += 1
    return new Date(Date.UTC(2026, 0, 1, 10, 0, this.#second)).toISOString()
  }
}

function countOf(changes: readonly FileChange[], change: FileChange['change']): number {
  return changes.filter((one) => one.change === change).length
}

/** A file that is new with this content. */
export function created(path: string, content: string): FileChange {
  return { path, change: 'created', sha256: shaOf(content), sizeBytes: content.length }
}

/** A file whose content is another one now. */
export function modified(path: string, before: string, content: string): FileChange {
  const previousSha256 = shaOf(before)
  return { path, change: 'modified', sha256: shaOf(content), sizeBytes: 1, previousSha256 }
}

/** A file that is gone. */
export function deleted(path: string, content: string): FileChange {
  return { path, change: 'deleted', previousSha256: shaOf(content) }
}

/** A file that went to another path as it was. */
export function moved(from: string, to: string, content: string): readonly FileChange[] {
  return [deleted(from, content), created(to, content)]
}

/** A file that was read, as far as anybody knows. */
export function input(
  path: string,
  content: string,
  evidence: ExecutionInput['evidence'] = 'observed',
): ExecutionInput {
  return { path, sha256: shaOf(content), evidence, runnerId: 'local' }
}
