import {
  type Finding,
  Severity,
} from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import {
  type DiagnoseRequest,
  type DiagnoseResponse,
} from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { type RunningViews, type StreamStatus } from '@sciencediscovery/projection'
import { toPlatformError } from '@sciencediscovery/kernel'
import { type Unary } from '@sciencediscovery/service-kit'
import { type Application } from './application.js'

/** Lag below this is what a busy view has. */
const behindFrom = 10_000

/** Checks the ledger, the views, the gateway and the default model. */
export function diagnose(
  app: Application,
  views: RunningViews,
): Unary<DiagnoseRequest, DiagnoseResponse> {
  return async () => ({
    service: 'agent-orchestrator',
    replicaId: app.ctx.here.replicaId,
    findings: [
      ...(await checked('event-store', () => storeFindings(app))),
      ...(await checked('views', async () => (await views.status()).flatMap(viewFinding))),
      ...(await checked('tool-gateway', () => gatewayFindings(app))),
      ...modelFindings(app),
    ],
  })
}

const ok = (name: string, message: string): Finding => ({
  name,
  severity: Severity.SEVERITY_OK,
  message,
  remedy: '',
})

async function checked(
  name: string,
  check: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await check()
  } catch (error) {
    const { message, details } = toPlatformError(error)
    const remedy = details.remedy ?? `look at the log of agent-orchestrator for ${name}`
    return [{ name, severity: Severity.SEVERITY_ERROR, message, remedy }]
  }
}

async function storeFindings(app: Application): Promise<readonly Finding[]> {
  const { backend, version, durable, replicas, notes } = await app.ctx.store.describe()
  const message = `${backend} ${version}, ${replicas} ${replicas === 1 ? 'copy' : 'copies'}, ${app.ctx.store.runShards} run shards`
  const warnings = notes.map((note) => ({
    name: 'event-store',
    severity: Severity.SEVERITY_WARNING,
    message: note.problem,
    remedy: note.remedy,
  }))
  const volatile: Finding = {
    name: 'event-store',
    severity: Severity.SEVERITY_WARNING,
    message: 'an acknowledged event may be lost with the power',
    remedy: 'set sync_interval: always on the server (or fsync on, for the embedded store)',
  }
  return [ok('event-store', message), ...warnings, ...(durable ? [] : [volatile])]
}

function viewFinding({ view, stream, lag, failing }: StreamStatus): readonly Finding[] {
  const name = `view:${view}`
  if (failing) {
    const message = `${stream} stands at ${failing.sequence} after ${failing.attempts} tries: ${failing.error}`
    return [
      {
        name,
        severity: Severity.SEVERITY_ERROR,
        message,
        remedy: 'mend the cause; the view is tried again by itself',
      },
    ]
  }
  if (lag < behindFrom) return []
  const message = `${stream} is ${lag} commits behind`
  return [
    {
      name,
      severity: Severity.SEVERITY_WARNING,
      message,
      remedy: 'wait, or give the database more room',
    },
  ]
}

async function gatewayFindings(app: Application): Promise<readonly Finding[]> {
  const signal = AbortSignal.timeout(5_000)
  const tools = await app.ctx.tools.list('science', { allow: [], deny: [] }, signal)
  return [ok('tool-gateway', `${tools.length} tools`)]
}

function modelFindings(app: Application): readonly Finding[] {
  const { models } = app.ctx
  if (models.fallbackSpec === '') {
    const message = 'no default model: every run must name one'
    const remedy = 'set SCIENCE_AGENT_MODEL to openai:NAME or anthropic:NAME, with its key'
    return [{ name: 'model', severity: Severity.SEVERITY_WARNING, message, remedy }]
  }
  try {
    models.check(models.fallbackSpec)
    return [ok('model', models.fallbackSpec)]
  } catch (error) {
    const { message, details } = toPlatformError(error)
    return [
      { name: 'model', severity: Severity.SEVERITY_ERROR, message, remedy: details.remedy ?? '' },
    ]
  }
}
