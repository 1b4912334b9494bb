import { isPlatformError } from '@sciencediscovery/kernel'
import {
  type PreparedCall,
  type ToolResult,
  errorResult,
  failureOf,
} from '@sciencediscovery/tool-kit'
import { type CatalogueEntry } from './catalogue.js'
import { type Context } from './context.js'
import { type BoundedResult, boundResult } from './output-boundary.js'
import { type ToolCall } from './tool-call.js'
import { withinDeadline } from './within-deadline.js'

/**
 * Makes a call whose arguments are right and which is allowed. What goes wrong in the tool becomes a
 * result that the model reads (X-01); what leaves the outcome open fails the RPC, and the caller asks
 * again with the same key (X-12).
 */
export async function callTool(
  ctx: Context,
  entry: CatalogueEntry,
  prepared: PreparedCall<ToolCall>,
  call: ToolCall,
): Promise<BoundedResult> {
  const { offered } = entry
  const result = await withinDeadline(call.signal, offered.deadlineMs, (signal) =>
    attempt(ctx, entry, prepared, { ...call, signal }),
  )
  const { outputLimits: limits, blobs } = ctx
  const { callKey, place } = call
  return boundResult(result, { callKey, callId: place.callId, tool: offered, limits, blobs })
}

async function attempt(
  ctx: Context,
  { offered }: CatalogueEntry,
  prepared: PreparedCall<ToolCall>,
  call: ToolCall,
): Promise<ToolResult> {
  try {
    return await prepared.run(call)
  } catch (error) {
    if (isTimeOver(call.signal, error) && offered.replay === 'pure') {
      return timedOut(offered.name, offered.deadlineMs)
    }
    if (isPlatformError(error)) {
      const failure = failureOf(error)
      if (failure === undefined) throw error
      if (error.code !== 'bug') return failure
    }
    const { callKey } = call
    ctx.here.logger.error({ err: error, tool: offered.name, callKey }, 'a tool failed')
    return failed(offered.name, error)
  }
}

/** Whether it was the tool's own deadline that ended the call, and not the caller. */
function isTimeOver(signal: AbortSignal, error: unknown): boolean {
  if (!signal.aborted || !isPlatformError(signal.reason)) return false
  const ended = isPlatformError(error) && (error.code === 'deadline' || error.code === 'cancelled')
  return ended && signal.reason.code === 'deadline'
}

function timedOut(name: string, deadlineMs: number): ToolResult {
  const message = `${name} did not answer within ${deadlineMs} ms; ask for less, or try again later`
  return errorResult({ code: 'TOOL_TIMEOUT', message, retryable: true })
}

function failed(name: string, error: unknown): ToolResult {
  const words = error instanceof Error ? error.message : String(error)
  const message = `${name} failed${words === '' ? ' without saying why' : `: ${words}`}`
  return errorResult({ code: 'TOOL_EXECUTION_FAILED', message })
}
