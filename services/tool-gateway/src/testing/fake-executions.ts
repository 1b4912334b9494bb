import { PlatformError } from '@sciencediscovery/kernel'
import {
  type Execution,
  ExecutionState,
} from '@sciencediscovery/proto-gen/executions/v1/executions'
import {
  type ExecutionServiceService,
  type ReadLogResponse,
  type StartExecutionRequest,
} from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { type Implementation, waitFor } from '@sciencediscovery/service-kit'

/**
 * The execution service of a runner, in memory. Commands: `echo TEXT`, `exit CODE`, `hang` (until it is
 * cancelled), `lines COUNT`, `flood COUNT`
 * (lines of which only head and tail are shown), `touch PATH…`, `lost` (outcome unknown).
 */
export interface FakeExecutions {
  readonly service: Implementation<typeof ExecutionServiceService>
  readonly executions: Map<string, Execution>
  readonly started: StartExecutionRequest[]
  /** Ids that were cancelled before they were queued: a later start is refused. */
  readonly tombstones: Set<string>
}

/** Executions that a test looks at. */
export function createFakeExecutions(): FakeExecutions {
  const executions = new Map<string, Execution>()
  const started: StartExecutionRequest[] = []
  const tombstones = new Set<string>()
  const outputs = new Map<string, Buffer>()
  const find = (executionId: string): Execution => {
    const execution = executions.get(executionId)
    if (execution) return execution
    throw new PlatformError('not_found', `execution ${executionId} not found`)
  }
  const ended = async (executionId: string, waitMs: number): Promise<{ execution: Execution }> => {
    const isOver = (): boolean => !isOpen(find(executionId))
    await waitFor(isOver, { timeoutMs: waitMs }).catch(() => undefined)
    return { execution: find(executionId) }
  }
  const service: FakeExecutions['service'] = {
    startExecution: (request) => {
      started.push(request)
      if (tombstones.has(request.executionId)) {
        throw new PlatformError('refused', `${request.executionId} was cancelled before it began`, {
          reason: 'execution_cancelled',
        })
      }
      if (!executions.has(request.executionId)) {
        const flood = /^flood (\d+)$/.exec(request.command)?.[1]
        if (flood !== undefined) outputs.set(request.executionId, linesOf(Number(flood)))
        executions.set(request.executionId, run(request))
      }
      return ended(request.executionId, request.waitMs)
    },
    waitExecution: ({ executionId, waitMs }) => ended(executionId, waitMs),
    listExecutions: ({ workspaceId, limit }) => {
      const own = [...executions.values()].filter((one) => one.workspaceId === workspaceId)
      return Promise.resolve({ executions: own.reverse().slice(0, limit) })
    },
    cancelExecution: ({ executionId }) => {
      const execution = executions.get(executionId)
      if (!execution) tombstones.add(executionId)
      else if (isOpen(execution))
        finish(execution, ExecutionState.EXECUTION_STATE_CANCELLED, 'cancelled')
      return Promise.resolve({ execution })
    },
    readLog: ({ executionId, cursor }) => Promise.resolve(logOf(find(executionId), Number(cursor))),
    async *readOutput({ executionId, stream }) {
      const output =
        stream === 'stdout' ? (outputs.get(executionId) ?? Buffer.alloc(0)) : Buffer.alloc(0)
      for (let offset = 0; offset < output.length; offset += 65_536) {
        const content = output.subarray(offset, offset + 65_536)
        yield await Promise.resolve({ content, offset: BigInt(offset) })
      }
    },
  }
  return { service, executions, started, tombstones }
}

/** All of stdout is one chunk. */
function logOf({ stdoutPreview, state }: Execution, asked: number): ReadLogResponse {
  const bytes = Buffer.from(stdoutPreview)
  const cursor = Math.min(asked, bytes.length)
  const text = bytes.subarray(cursor).toString()
  const chunks = text === '' ? [] : [{ cursor: BigInt(cursor), stream: 'stdout', text }]
  const nextCursor = BigInt(bytes.length)
  return { chunks, nextCursor, truncated: false, retentionTruncated: false, state, runningMs: 0n }
}

function linesOf(count: number): Buffer {
  return Buffer.from(Array.from({ length: count }, (_, at) => `line ${at}\n`).join(''))
}

function isOpen({ state }: Execution): boolean {
  return (
    state === ExecutionState.EXECUTION_STATE_RUNNING ||
    state === ExecutionState.EXECUTION_STATE_QUEUED
  )
}

function run(request: StartExecutionRequest): Execution {
  const execution = queued(request)
  const [verb = '', ...words] = (request.command || `echo ran ${request.scriptPath}`).split(' ')
  const text = words.join(' ')
  switch (verb) {
    case 'echo':
      print(execution, `${text}\n`)
      break
    case 'lines':
      print(execution, linesOf(Number(text)).toString())
      break
    case 'flood':
      print(execution, linesOf(Number(text)).toString())
      execution.stdoutPreview = 'line 0\n[…]\nthe end\n'
      execution.outputTruncated = true
      break
    case 'touch':
      execution.createdFiles = words
      break
    case 'hang':
      return execution
    case 'lost':
      return finish(execution, ExecutionState.EXECUTION_STATE_UNKNOWN, 'owner_lost')
    case 'exit':
      return failed(execution, Number(text))
    default:
      return failed(execution, 127)
  }
  execution.exitCode = 0
  return finish(execution, ExecutionState.EXECUTION_STATE_COMPLETED, '')
}

function failed(execution: Execution, exitCode: number): Execution {
  execution.exitCode = exitCode
  execution.stderrPreview = 'it broke\n'
  execution.stderrBytes = 9n
  return finish(execution, ExecutionState.EXECUTION_STATE_FAILED, 'exit_code')
}

function print(execution: Execution, text: string): void {
  execution.stdoutPreview = text
  execution.stdoutBytes = BigInt(Buffer.byteLength(text))
}

function finish(execution: Execution, state: ExecutionState, reason: string): Execution {
  const effectId = `execution-${execution.executionId}`
  execution.state = state
  execution.reason = reason
  execution.finishedAt = '2026-01-02T03:04:06.000Z'
  execution.effects = [{ effectId, type: 'execution.completed', version: 1, dataJson: '{}' }]
  return execution
}

function queued({ executionId, runnerId, workspaceId }: StartExecutionRequest): Execution {
  return {
    executionId,
    runnerId,
    workspaceId,
    state: ExecutionState.EXECUTION_STATE_RUNNING,
    queuedAt: '2026-01-02T03:04:05.000Z',
    startedAt: '2026-01-02T03:04:05.000Z',
    finishedAt: '',
    exitCode: undefined,
    stdoutBytes: 0n,
    stderrBytes: 0n,
    stdoutPreview: '',
    stderrPreview: '',
    createdFiles: [],
    modifiedFiles: [],
    deletedFiles: [],
    reason: '',
    effects: [],
    outputTruncated: false,
    explanation: '',
    retentionTruncated: false,
    skippedFiles: [],
    skippedTotal: 0,
    runningMs: 0n,
  }
}
