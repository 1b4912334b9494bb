import {
  type CancelCallRequest,
  type CancelCallResponse,
} from '@sciencediscovery/proto-gen/tools/v1/tools_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { type Context } from '../context.js'
import { parseCallKey, parsePlace, parseProfile } from './call-place.js'

/** CancelCall: asks the owner of the effect; a tool without a long effect has nothing to end. */
export function cancelCall(ctx: Context): Unary<CancelCallRequest, CancelCallResponse> {
  return async (request, { signal }) => {
    const callKey = parseCallKey(request.callKey)
    const place = parsePlace(request.context)
    const profile = parseProfile(place.profile)
    // A policy may have changed since the call began: it must not keep the call alive.
    const entry = ctx.catalogue.find(profile, { allow: [], deny: [] }, request.name)
    if (!entry?.cancel) return { known: false }
    return {
      known: await entry.cancel({
        ...ctx.owners,
        blobs: ctx.blobs,
        readAdvice: ctx.readAdvice,
        callKey,
        place,
        profile,
        signal,
      }),
    }
  }
}
