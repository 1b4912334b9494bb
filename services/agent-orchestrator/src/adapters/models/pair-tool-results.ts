import { type ModelMessage, type ModelToolCall } from '../../model-provider.js'

type Assistant = Extract<ModelMessage, { role: 'assistant' }>
type ToolResult = Extract<ModelMessage, { role: 'tool' }>

const interrupted = 'interrupted: there is no result of this call'

/**
 * The conversation in the only form services accept: each call has exactly one result, straight
 * after the message that asked for it, and call ids are unique in the whole history (BR-062).
 * A result without its call stays readable as user text.
 */
export function pairToolResults(
  messages: readonly ModelMessage[],
  toWireId: (id: string) => string = (id) => id,
): ModelMessage[] {
  const used = new Set<string>()
  return segments(messages).flatMap((segment) => pairSegment(segment, used, toWireId))
}

/** Cuts before each assistant message, so that a segment holds one question and its answers. */
function segments(messages: readonly ModelMessage[]): ModelMessage[][] {
  const cut: ModelMessage[][] = [[]]
  for (const message of messages) {
    if (message.role === 'assistant') cut.push([message])
    else cut.at(-1)?.push(message)
  }
  return cut
}

function pairSegment(
  segment: readonly ModelMessage[],
  used: Set<string>,
  toWireId: (id: string) => string,
): ModelMessage[] {
  const head = segment[0]
  const assistant = head?.role === 'assistant' ? head : undefined
  const rest = assistant === undefined ? segment : segment.slice(1)
  const results = rest.filter((message) => message.role === 'tool')
  const others = rest.filter((message) => message.role !== 'tool')
  if (assistant === undefined) return [...results.map(asUserText), ...others]
  const calls = assistant.toolCalls.map((call) => ({ ...call, id: claim(toWireId(call.id), used) }))
  const taken = new Set<ToolResult>()
  const answers = assistant.toolCalls.map((call, index) =>
    answerOf(call, calls[index]?.id ?? call.id, results, taken),
  )
  // A second result of the same call is dropped: the first outcome wins.
  const orphans = results.filter((result) => !taken.has(result) && !asked(assistant, result))
  return [{ ...assistant, toolCalls: calls }, ...answers, ...orphans.map(asUserText), ...others]
}

function answerOf(
  call: ModelToolCall,
  wireId: string,
  results: readonly ToolResult[],
  taken: Set<ToolResult>,
): ToolResult {
  const found = results.find((result) => result.callId === call.id && !taken.has(result))
  if (found === undefined)
    return { role: 'tool', callId: wireId, name: call.name, text: interrupted, isError: true }
  taken.add(found)
  return { ...found, callId: wireId }
}

function asked(assistant: Assistant, result: ToolResult): boolean {
  return assistant.toolCalls.some((call) => call.id === result.callId)
}

function asUserText(result: ToolResult): ModelMessage {
  const { images } = result
  const text = `[result of an earlier call of ${result.name}]\n${result.text}`
  return { role: 'user', text, ...(images === undefined ? {} : { images }) }
}

/** The id, with a counter when it was used before: the same history always gives the same ids. */
function claim(id: string, used: Set<string>): string {
  const root = id === '' ? 'call' : id
  let free = root
  for (let count = 2; used.has(free); count += 1) free = `${root}_${String(count)}`
  used.add(free)
  return free
}
