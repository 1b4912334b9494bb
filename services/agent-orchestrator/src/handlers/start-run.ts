import {
  StartRunRequest,
  type StartRunResponse,
} from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { invalid } from '@sciencediscovery/kernel'
import { type Unary } from '@sciencediscovery/service-kit'
import { type Application } from './application.js'
import { requestDigestOf } from './request-digest.js'
import { submitInput } from './submit-input.js'

const maxScriptBytes = 8 * 1024 * 1024

export function startRun(app: Application): Unary<StartRunRequest, StartRunResponse> {
  return (request, call) => {
    if (request.sessionId === '')
      throw invalid('session_id', 'is missing', 'create a session first and send its id')
    if (request.script.length > maxScriptBytes)
      throw invalid('script', 'is larger than 8 MiB', 'send a shorter script')
    if (request.maxModelTurns < 0)
      throw invalid('max_model_turns', 'is negative', 'send 0 for the default, or more')
    const requestDigest = requestDigestOf(StartRunRequest, request)
    return submitInput(app, { rpc: 'StartRun', ...request, requestDigest }, call.principal)
  }
}
