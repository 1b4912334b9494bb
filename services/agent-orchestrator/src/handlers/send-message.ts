import {
  SendMessageRequest,
  type SendMessageResponse,
} from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { type Application } from './application.js'
import { loadRun } from './load-run.js'
import { requestDigestOf } from './request-digest.js'
import { submitInput } from './submit-input.js'

/** A further message is a run of its own in the same session, with the model of the run that is named. */
export function sendMessage(app: Application): Unary<SendMessageRequest, SendMessageResponse> {
  return async (request, call) => {
    const { idempotencyKey, runId, message } = request
    const run = await loadRun(app, runId)
    const { sessionId, projectId, model } = run.facts.header
    const input = {
      rpc: 'SendMessage',
      idempotencyKey,
      sessionId,
      projectId,
      message,
      model,
      script: new Uint8Array(),
      maxModelTurns: 0,
      requestDigest: requestDigestOf(SendMessageRequest, request),
    }
    return submitInput(app, input, call.principal)
  }
}
