import { PlatformError } from '@sciencediscovery/kernel'
import {
  CallContext,
  Concurrency,
  type Effect as WireEffect,
  Replay,
  type Tool,
} from '@sciencediscovery/proto-gen/tools/v1/tools'
import { type Result, ToolServiceService } from '@sciencediscovery/proto-gen/tools/v1/tools_service'
import { type Effect, EffectSchema } from '@sciencediscovery/run-events'
import { type Channel, rpcClient } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import {
  type CallPlace,
  type InvocationEnd,
  type OfferedTool,
  type ToolClient,
  type ToolPolicy,
} from '../tool-client.js'

const listKeptMs = 5_000
const ParametersSchema = z.record(z.string(), z.unknown())

/** The gateway over gRPC. Tool lists are kept for a few seconds: every model turn asks for one. */
export function createGrpcToolClient(channel: Channel, clock: () => number): ToolClient {
  const rpc = rpcClient(ToolServiceService, channel)
  const lists = new Map<
    string,
    { readonly at: number; readonly tools: Promise<readonly OfferedTool[]> }
  >()
  const fetchList = async (
    profile: string,
    policy: ToolPolicy,
  ): Promise<readonly OfferedTool[]> => {
    const { tools } = await rpc.listTools({ profile, toolPolicy: toWirePolicy(policy) })
    return tools.map(fromTool)
  }
  return {
    list(profile, policy) {
      const key = JSON.stringify([profile, policy])
      const kept = lists.get(key)
      if (kept && clock() - kept.at < listKeptMs) return kept.tools
      const tools = fetchList(profile, policy)
      // A failed answer must not be kept.
      tools.catch(() => lists.delete(key))
      lists.set(key, { at: clock(), tools })
      return tools
    },
    async invoke(invocation, { signal, onProgress }) {
      const { callKey, place, name, argumentsText, authorization, attempt } = invocation
      const request = {
        callKey,
        context: toContext(place),
        name,
        argumentsText,
        authorization,
        attempt,
      }
      for await (const { step } of rpc.invoke(request, { signal })) {
        if (step?.$case === 'progress') onProgress(step.value.kind, step.value.text)
        if (step?.$case === 'permissionRequired') return { kind: 'permission', ...step.value }
        if (step?.$case === 'result') return fromResult(step.value)
      }
      throw new PlatformError('unavailable', `the gateway ended call ${callKey} without a result`)
    },
    async cancel({ callKey, place, name }, signal) {
      await rpc.cancelCall(
        { callKey, context: toContext(place), name },
        { signal, timeoutMs: 5_000, idempotent: true },
      )
    },
  }
}

function toWirePolicy(policy: ToolPolicy): { allow: string[]; deny: string[] } {
  return { allow: [...policy.allow], deny: [...policy.deny] }
}

function toContext(place: CallPlace): CallContext {
  return CallContext.fromPartial({ ...place, toolPolicy: toWirePolicy(place.toolPolicy) })
}

function fromTool(tool: Tool): OfferedTool {
  return {
    name: tool.name,
    description: tool.description,
    parameters: ParametersSchema.parse(JSON.parse(tool.parametersJson)),
    concurrency: tool.concurrency === Concurrency.CONCURRENCY_SHARED ? 'shared' : 'exclusive',
    replay: fromReplay(tool.replay),
    observation: tool.observation,
    deadlineMs: Number(tool.deadlineMs),
  }
}

function fromReplay(replay: Replay): OfferedTool['replay'] {
  switch (replay) {
    case Replay.REPLAY_PURE:
      return 'pure'
    case Replay.REPLAY_KEYED:
      return 'keyed'
    case Replay.REPLAY_UNKNOWN_ON_CRASH:
    case Replay.REPLAY_UNSPECIFIED:
      return 'unknown-on-crash'
  }
}

function fromResult(result: Result): InvocationEnd {
  const { text, isError, detailsJson, outputRef, effects } = result
  const details: unknown = detailsJson === '' ? {} : JSON.parse(detailsJson)
  const end = { kind: 'result' as const, text, isError, details, effects: effects.map(fromEffect) }
  return outputRef === '' ? end : { ...end, ref: outputRef }
}

function fromEffect(effect: WireEffect): Effect {
  const data: unknown = JSON.parse(effect.dataJson)
  return EffectSchema.parse({ type: effect.type, v: effect.version, data })
}
