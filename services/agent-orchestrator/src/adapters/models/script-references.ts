import { PlatformError } from '@sciencediscovery/kernel'
import { type ModelMessage } from '../../model-provider.js'

type ToolResult = Extract<ModelMessage, { role: 'tool' }>

const reference = /\{\{([A-Za-z0-9_-]+)([.[][^{}]*)\}\}/g
const wholeReference = /^\{\{([A-Za-z0-9_-]+)([.[][^{}]*)\}\}$/
const step = /\.([^.[\]{}\s]+)|\[(\d+)\]|\[([^=[\]]+)=([^[\]]*)\]/g
const wellFormedPath = /^(?:\.[^.[\]{}\s]+|\[\d+\]|\[[^=[\]]+=[^[\]]*\])+$/

/** References in any string of that value that have no valid path. */
export function malformedReferences(value: unknown): string[] {
  if (typeof value === 'string')
    return [...value.matchAll(reference)]
      .filter(([, , path]) => !wellFormedPath.test(path ?? ''))
      .map(([whole]) => whole)
  if (Array.isArray(value)) return value.flatMap(malformedReferences)
  if (typeof value === 'object' && value !== null)
    return Object.values(value).flatMap(malformedReferences)
  return []
}

/**
 * The value with each `{{call.path}}` replaced by what that call's result holds: a string that is
 * one reference keeps the JSON type, inside a longer one strings go in as they are, the rest as JSON.
 */
export function resolveReferences(value: unknown, messages: readonly ModelMessage[]): unknown {
  if (typeof value === 'string') return resolveString(value, messages)
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, messages))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  return Object.fromEntries(entries.map(([key, item]) => [key, resolveReferences(item, messages)]))
}

/** The text with references written out. */
export function resolveText(text: string, messages: readonly ModelMessage[]): string {
  return text.replace(reference, (whole, callId: string, path: string) => {
    const found = lookUp(whole, callId, path, messages)
    return typeof found === 'string' ? found : JSON.stringify(found)
  })
}

function resolveString(text: string, messages: readonly ModelMessage[]): unknown {
  const whole = wholeReference.exec(text)
  if (whole === null) return resolveText(text, messages)
  return lookUp(text, whole[1] ?? '', whole[2] ?? '', messages)
}

function lookUp(
  whole: string,
  callId: string,
  path: string,
  messages: readonly ModelMessage[],
): unknown {
  const result = messages.findLast(
    (message): message is ToolResult => message.role === 'tool' && message.callId === callId,
  )
  if (result === undefined) throw unresolved(whole, `there is no result of call ${callId}`)
  let value: unknown = { text: result.text, isError: result.isError, details: result.details }
  for (const [part, name, index, key, wanted] of path.matchAll(step)) {
    value =
      key === undefined ? member(value, name ?? index ?? '') : matching(value, key, wanted ?? '')
    if (value === undefined) throw unresolved(whole, `nothing at ${part}`)
  }
  return value
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Object.entries(value).find(([key]) => key === name)?.[1]
}

function matching(value: unknown, key: string, wanted: string): unknown {
  if (!Array.isArray(value)) return undefined
  return value.find((item: unknown) => String(member(item, key)) === wanted)
}

function unresolved(whole: string, why: string): PlatformError {
  return new PlatformError('invalid', `script reference ${whole} cannot be resolved: ${why}`, {
    field: whole,
    reason: 'script_reference',
    remedy: 'refer to the id of an earlier call and to a path that its result has',
  })
}
