import {
  type GetPlanRequest,
  type GetPlanResponse,
} from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { type Application } from './application.js'
import { loadRun } from './load-run.js'

export function getPlan(app: Application): Unary<GetPlanRequest, GetPlanResponse> {
  return async ({ runId, minPosition }) => {
    const run = await loadRun(app, runId)
    const plan = await app.views.planOf(runId, minPosition)
    return {
      plan: plan ?? { agentId: run.facts.header.agentId, items: [], explanation: '', position: 0n },
    }
  }
}
