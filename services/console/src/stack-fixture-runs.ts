import { invalid, notFound } from '@sciencediscovery/kernel'
import {
  RunStatus,
  type PermissionRequest,
  type Plan,
  type Run,
} from '@sciencediscovery/proto-gen/runs/v1/runs'
import type { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import type { Session, SessionSettings } from '@sciencediscovery/proto-gen/sessions/v1/sessions'
import type { SessionServiceService } from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import type { Implementation } from '@sciencediscovery/service-kit'
import { createPlayedRun, type PlayedRun } from './played-run-fixture.js'
import type { World } from './world-fixture.js'

/** The session that the fixture knows besides new ones. */
export const knownSession = 's-00000000000000aa-default'
const newSession = 's-00000000000000bb-default'

/** Sessions: every new one has the same id. */
export function sessionHandlers(world: World): Implementation<typeof SessionServiceService> {
  const note = (method: string, request: unknown): void =>
    void world.asked.push({ method, request })
  return {
    createSession: (request) => {
      note('createSession', request)
      return Promise.resolve({ session: session(newSession, request.settings), position: 'p1' })
    },
    getSession: (request) => {
      note('getSession', request)
      if (request.sessionId !== knownSession) throw notFound(`session ${request.sessionId}`)
      return Promise.resolve({ session: session(knownSession, settings) })
    },
    listSessions: ({ pageToken }) =>
      Promise.resolve(
        pageToken === ''
          ? { sessions: [session(newSession, settings)], nextPageToken: 'next' }
          : { sessions: [session(knownSession, settings)], nextPageToken: '' },
      ),
    updateSession: (request) => {
      note('updateSession', request)
      return Promise.resolve({
        session: session(request.sessionId, request.settings),
        position: 'p2',
      })
    },
    archiveSession: ({ sessionId }) =>
      Promise.resolve({ session: session(sessionId, settings), position: 'p3' }),
  }
}

/** Runs: each new one gets the next id and is played. */
export function runHandlers(world: World): Implementation<typeof RunServiceService> {
  const note = (method: string, request: unknown): void =>
    void world.asked.push({ method, request })
  const runOf = (runId: string): PlayedRun => {
    const run = world.runs.get(runId)
    if (!run) throw notFound(`run ${runId}`)
    return run
  }
  return {
    startRun: (request) => {
      note('startRun', request)
      if (request.script.includes('"refuse"'))
        throw invalid('script: turns[0]', 'is refused', 'correct it')
      const run = createPlayedRun(`r-0-${String(world.runs.size).padStart(16, '0')}-default`)
      world.runs.set(run.runId, run)
      void world.play(run)
      return Promise.resolve({
        runId: run.runId,
        status: RunStatus.RUN_STATUS_RUNNING,
        position: 'p4',
      })
    },
    getRun: ({ runId }) => Promise.resolve({ run: record(runOf(runId)) }),
    listRuns: () =>
      Promise.resolve({ runs: [...world.runs.values()].map(record), nextPageToken: '' }),
    watchRun: (request, { signal }) => {
      note('watchRun', request)
      return runOf(request.runId).watch(Number(request.afterPosition), request.includeLive, signal)
    },
    sendMessage: ({ runId }) =>
      Promise.resolve({ runId, status: RunStatus.RUN_STATUS_QUEUED, position: '' }),
    stopRun: (request) => {
      note('stopRun', request)
      runOf(request.runId).stop()
      return Promise.resolve({ status: RunStatus.RUN_STATUS_CANCELLING, position: 'p5' })
    },
    listPermissions: () => Promise.resolve({ requests: [] }),
    decidePermission: (request) => {
      note('decidePermission', request)
      const { runId, requestId, decision } = request
      runOf(runId).decide(requestId, decision)
      return Promise.resolve({ request: decided(runId, requestId, decision), position: '' })
    },
    getPlan: ({ runId }) => {
      runOf(runId)
      return Promise.resolve({ plan })
    },
    getTranscript: () => Promise.resolve({ entries: [], nextPageToken: '' }),
    findToolOutput: () => Promise.reject(notFound('output')),
  }
}

const plan: Plan = {
  agentId: 'a',
  items: [
    { step: 'count', status: 'completed' },
    { step: 'plot\x1b[2J', status: 'in_progress' },
  ],
  explanation: 'after a look',
  position: 7n,
}

const settings: SessionSettings = {
  title: 'orchids',
  profile: 'science',
  model: 'openai:gpt',
  approvalMode: 1,
  inputPolicy: 1,
  toolPolicy: { allow: [], deny: ['web_fetch'] },
  skills: ['fasta'],
  sources: [],
  environmentId: '',
  runnerId: '',
}

function decided(runId: string, requestId: string, decision: number): PermissionRequest {
  const state = decision === 3 ? 'denied' : 'allowed'
  const what = { callId: 'c1', action: 'code', resource: 'workspace-code', requestedAt: '' }
  return { requestId, runId, summary: 'run_shell', state, ...what }
}

function session(sessionId: string, set: SessionSettings | undefined): Session {
  const projectId = 'default'
  const createdAt = '2026-01-01T00:00:00.000Z'
  return {
    sessionId,
    projectId,
    settings: set,
    agentId: 'a',
    workspaceId: 'w',
    createdAt,
    archivedAt: '',
    activeRunId: '',
  }
}

function record(run: PlayedRun): Run {
  const usage = {
    modelTurns: 2,
    inputTokens: 10n,
    outputTokens: 20n,
    costUsd: 0.5,
    unpricedTurns: 0,
  }
  const status = run.events.some(({ type }) => type === 'run.completed')
    ? RunStatus.RUN_STATUS_COMPLETED
    : RunStatus.RUN_STATUS_RUNNING
  const times = { startedAt: '2026-01-01T00:00:00.000Z', endedAt: '' }
  const texts = {
    sessionId: knownSession,
    projectId: 'default',
    goal: 'count\n\x1b[31m',
    model: 'm',
    reason: '',
  }
  return { runId: run.runId, status, usage, ...texts, ...times }
}
