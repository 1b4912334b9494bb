import { toPlatformError } from '@sciencediscovery/kernel'
import {
  type DiagnoseRequest,
  type DiagnoseResponse,
  type Finding,
  Severity,
} from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { sql } from 'kysely'
import { type Context, type ViewReport } from '../context.js'

/** Commits behind which a view is worth a word. */
const noticeableLag = 1_000

/** Diagnose: database, blobs and views. */
export function diagnose(ctx: Context): Unary<DiagnoseRequest, DiagnoseResponse> {
  return async () => {
    const findings = await Promise.all([
      check('database', 'make PostgreSQL reachable: lists, reads and provenance need it', () =>
        sql`select 1`.execute(ctx.db),
      ),
      check(
        'blob-store',
        'make the blob store reachable and writable: content is stored there',
        () => ctx.blobs.stat('0'.repeat(64)),
      ),
    ])
    return {
      service: 'artifact-store',
      replicaId: ctx.here.replicaId,
      findings: [...findings, ...(await viewFindings(ctx))],
    }
  }
}

async function check(name: string, remedy: string, ask: () => Promise<unknown>): Promise<Finding> {
  try {
    await ask()
    return { name, severity: Severity.SEVERITY_OK, message: 'answers', remedy: '' }
  } catch (error) {
    const { message } = toPlatformError(error)
    return { name, severity: Severity.SEVERITY_ERROR, message, remedy }
  }
}

async function viewFindings(ctx: Context): Promise<readonly Finding[]> {
  try {
    return (await ctx.views.report()).map(viewFinding)
  } catch (error) {
    const { message } = toPlatformError(error)
    const remedy = 'make the event store and PostgreSQL reachable'
    return [{ name: 'views', severity: Severity.SEVERITY_ERROR, message, remedy }]
  }
}

function viewFinding({ view, lag, failure }: ViewReport): Finding {
  const name = `view:${view}`
  if (failure !== '')
    return {
      name,
      severity: Severity.SEVERITY_ERROR,
      message: `stands at ${failure}; ${lag} commits behind`,
      remedy: 'look at the log for the cause; the view goes on by itself when it is gone',
    }
  const late = lag > noticeableLag
  return {
    name,
    severity: late ? Severity.SEVERITY_WARNING : Severity.SEVERITY_OK,
    message: `${lag} commits behind`,
    remedy: late ? 'wait for it to catch up, or give the database more room' : '',
  }
}
