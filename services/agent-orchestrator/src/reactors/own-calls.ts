import { createHash } from 'node:crypto'
import { canonicalJson } from '@sciencediscovery/kernel'
import { parseArguments } from '@sciencediscovery/tool-kit'
import { type OwnOutcome, type RecordModelTurn } from '../domain/run/commands.js'
import { type ModelToolCall } from '../model-provider.js'
import { type OfferedTool } from '../tool-client.js'
import { UpdatePlanSchema } from '../tools/update-plan.js'
import { type Texts } from '../texts.js'

type AskedCall = RecordModelTurn['toolCalls'][number]

const updatePlanTool = { name: 'update_plan', parameters: UpdatePlanSchema }

/** Many calls in one turn leave less room for each in the commit. */
const crowd = 12
const crowdedInlineBytes = 1024

/** The calls of a turn as the decider takes them: counted by arguments, and the orchestrator's own decided at once. */
export async function toAskedCalls(
  texts: Texts,
  calls: readonly ModelToolCall[],
  offered: readonly OfferedTool[],
): Promise<readonly AskedCall[]> {
  const room = calls.length > crowd ? { inlineBytes: crowdedInlineBytes } : {}
  return Promise.all(
    withUniqueIds(calls).map(async ({ id, name, argumentsText }): Promise<AskedCall> => {
      const tool = offered.find((candidate) => candidate.name === name)
      const asked = {
        callId: id,
        name,
        argumentsText: await texts.storeText(argumentsText, room),
        argumentsDigest: argumentsDigest(name, argumentsText),
        ...traitsOf(tool),
      }
      const own = tool && ownOutcome(name, argumentsText)
      return own === undefined ? asked : { ...asked, own }
    }),
  )
}

// An unknown tool ends at the gateway with an error and has no effect.
const unknownTool = {
  concurrency: 'shared',
  replay: 'pure',
  observation: false,
  deadlineMs: 0,
} as const

function traitsOf(
  tool: OfferedTool | undefined,
): Pick<AskedCall, 'concurrency' | 'replay' | 'observation' | 'deadlineMs'> {
  if (!tool) return unknownTool
  const { concurrency, replay, observation, deadlineMs } = tool
  return { concurrency, replay, observation, deadlineMs }
}

// Some services repeat an id within one turn; the second call would otherwise get the first one's result.
function withUniqueIds(calls: readonly ModelToolCall[]): readonly ModelToolCall[] {
  const given = new Set(calls.map(({ id }) => id))
  const used = new Set<string>()
  return calls.map((call) => {
    let { id } = call
    for (let times = 2; used.has(id) || (id !== call.id && given.has(id)); times += 1)
      id = `${call.id}#${times}`
    used.add(id)
    return { ...call, id }
  })
}

/** The key of the repeat guard: equal arguments in another order or spacing count as equal. */
export function argumentsDigest(name: string, argumentsText: string): string {
  return createHash('sha256')
    .update(`${name}\n${canonicalArguments(argumentsText)}`)
    .digest('hex')
}

function canonicalArguments(text: string): string {
  try {
    return canonicalJson(JSON.parse(text))
  } catch {
    // Unparseable text is refused later; for counting it is equal to itself only.
    return text
  }
}

function ownOutcome(name: string, argumentsText: string): OwnOutcome | undefined {
  if (name !== updatePlanTool.name) return undefined
  const parsed = parseArguments(updatePlanTool, argumentsText)
  if (parsed.ok) {
    const { plan, explanation } = parsed.args
    return explanation === undefined
      ? { kind: 'plan', items: plan }
      : { kind: 'plan', items: plan, explanation }
  }
  const { text, details } = parsed.result
  return {
    kind: 'result',
    isError: true,
    text,
    details: { json: { ok: details.ok, error: { ...details.error } } },
  }
}
