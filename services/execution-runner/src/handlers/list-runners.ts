import {
  type ListRunnersRequest,
  type ListRunnersResponse,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { type Context } from '../context.js'

/** The pool of this runner, and how it walls executions in. */
export function listRunners(ctx: Context): Unary<ListRunnersRequest, ListRunnersResponse> {
  return () => {
    const { pool } = ctx.here
    const runner = { runnerId: pool, replicas: 1, sandbox: ctx.machine.sandbox.description }
    return Promise.resolve({ runners: [runner] })
  }
}
