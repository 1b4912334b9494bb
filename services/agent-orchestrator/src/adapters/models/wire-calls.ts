import { z } from 'zod'
import { type ModelRequest, type ModelToolCall } from '../../model-provider.js'
import { wellFormedJson, wellFormedText } from './well-formed.js'

const ArgumentsSchema = z.record(z.string(), z.unknown())

/**
 * The arguments as an object, as services want them back. What the model sent and no JSON
 * parser takes is shown to it under a name, never dropped: else it could not repair it (BR-059).
 */
export function argumentsObject(text: string): Record<string, unknown> {
  if (text.trim() === '') return {}
  const parsed = parseJson(text)
  const object = ArgumentsSchema.safeParse(parsed)
  return object.success ? object.data : { unparsed_arguments: text }
}

/** The arguments as text that parses: exactly as they came when they do. */
export function argumentsText(text: string): string {
  const object = ArgumentsSchema.safeParse(parseJson(text))
  return object.success ? wellFormedJson(text) : JSON.stringify(argumentsObject(text))
}

/** A tool name that services accept back, whatever the model made up (BR-052). */
export function wireName(name: string): string {
  const cleaned = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)
  return cleaned === '' ? 'unnamed_tool' : cleaned
}

/** Gives each call of a turn an id of its own, also when the service sends none or the same again. */
export function createCallIds(request: ModelRequest): (given: string, index: number) => string {
  const taken = new Set(
    request.messages.flatMap((message) =>
      message.role === 'assistant' ? message.toolCalls.map((call) => call.id) : [],
    ),
  )
  const turn = String(request.turnsCompleted + 1)
  return (given, index) => {
    const root = given === '' ? `call_t${turn}_${String(index)}` : wellFormedText(given)
    const own = taken.has(root) ? `${root}_t${turn}` : root
    const id = taken.has(own) ? `${own}_${String(index)}` : own
    taken.add(id)
    return id
  }
}

/** A finished call, with text that can be stored. */
export function toToolCall(id: string, name: string, argumentsJson: string): ModelToolCall {
  return { id, name: wellFormedText(name), argumentsText: wellFormedText(argumentsJson) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
