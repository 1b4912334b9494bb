import {
  type InvokeRequest,
  type InvokeResponse,
} from '@sciencediscovery/proto-gen/tools/v1/tools_service'
import { type ServerStream } from '@sciencediscovery/service-kit'
import {
  type PermissionNeed,
  type Profile,
  type ToolResult,
  errorResult,
} from '@sciencediscovery/tool-kit'
import { callTool } from '../call-tool.js'
import { type CatalogueEntry } from '../catalogue.js'
import { type Context } from '../context.js'
import { needsDecision } from '../domain/policy/authorization.js'
import { type ToolPolicy } from '../domain/policy/tool-policy.js'
import { type BoundedResult, boundResult } from '../output-boundary.js'
import { type ToolCall } from '../tool-call.js'
import { parseCallKey, parsePlace, parseProfile, toPolicy } from './call-place.js'

/** Invoke: policy → parse → permission → dispatch → result boundary → effects. */
export function invoke(ctx: Context): ServerStream<InvokeRequest, InvokeResponse> {
  return async function* (request, { signal }) {
    yield await answer(ctx, request, signal)
  }
}

async function answer(
  ctx: Context,
  request: InvokeRequest,
  signal: AbortSignal,
): Promise<InvokeResponse> {
  const callKey = parseCallKey(request.callKey)
  const place = parsePlace(request.context)
  const profile = parseProfile(place.profile)
  const policy = toPolicy(place.toolPolicy)
  const entry = ctx.catalogue.find(profile, policy, request.name)
  if (!entry) return toResponse(unbounded(unknownTool(ctx, request.name, profile, policy)))
  const prepared = entry.tool.prepare(profile, request.argumentsText, place)
  if (!prepared.ok)
    return toResponse(await bounded(ctx, entry, { callKey, place }, prepared.result))
  const { permission } = prepared.call
  if (needsDecision(permission, request.authorization) && permission) return toQuestion(permission)
  const { owners, blobs, readAdvice } = ctx
  const call = { ...owners, blobs, readAdvice, callKey, place, profile, signal }
  return toResponse(await callTool(ctx, entry, prepared.call, call))
}

/** One answer for a tool that does not exist and for one that the policy hides. */
function unknownTool(ctx: Context, name: string, profile: Profile, policy: ToolPolicy): ToolResult {
  const offered = ctx.catalogue.offered(profile, policy).map((entry) => entry.offered.name)
  const shown = JSON.stringify(name.slice(0, 100))
  const message = `there is no tool ${shown}; call one of the offered tools: ${offered.join(', ')}`
  return errorResult({ code: 'UNKNOWN_TOOL', message })
}

function bounded(
  ctx: Context,
  { offered }: CatalogueEntry,
  { callKey, place }: Pick<ToolCall, 'callKey' | 'place'>,
  result: ToolResult,
): Promise<BoundedResult> {
  const { outputLimits: limits, blobs } = ctx
  return boundResult(result, { callKey, callId: place.callId, tool: offered, limits, blobs })
}

function unbounded(result: ToolResult): BoundedResult {
  return { ...result, outputRef: '' }
}

function toQuestion({ action, resource, summary }: PermissionNeed): InvokeResponse {
  return { step: { $case: 'permissionRequired', value: { action, resource, summary } } }
}

function toResponse(result: BoundedResult): InvokeResponse {
  const { text, isError, details, outputRef, effects } = result
  const value = {
    text,
    isError,
    detailsJson: JSON.stringify(details),
    outputRef,
    effects: [...effects],
  }
  return { step: { $case: 'result', value } }
}
