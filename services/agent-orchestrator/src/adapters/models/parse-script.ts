import { invalid, type PlatformError } from '@sciencediscovery/kernel'
import { type z } from 'zod'
import { findJsonError } from './json-place.js'
import { malformedReferences } from './script-references.js'
import {
  type Script,
  type ScriptFailure,
  type ScriptFile,
  ScriptFileSchema,
  type ScriptTurn,
} from './script.js'

type FileTurn = ScriptFile['turns'][number]

/** The script in that text; errors name the place. */
export function parseScript(text: string): Script {
  const parsed = ScriptFileSchema.safeParse(parseJson(text.replace(/^\uFEFF/, '')))
  if (!parsed.success) throw schemaError(parsed.error)
  checkIds(parsed.data, '', new Map())
  return toScript(parsed.data)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const { line, column, expected } = findJsonError(text)
    const place = `line ${String(line)} column ${String(column)}`
    throw invalid(place, `not JSON: expected ${expected}`, 'correct the script file')
  }
}

function schemaError(error: z.ZodError): PlatformError {
  const [first] = error.issues.flatMap(deepest)
  const place = placeOf(first?.path ?? [])
  const more = error.issues.length - 1
  const rest = more > 0 ? ` (and ${String(more)} more)` : ''
  return invalid(place, `${first?.message ?? error.message}${rest}`, 'correct the script file')
}

/** A union hides the issue that matters one level down. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue]
  return [{ ...issue, message: 'expected an object, or the raw arguments as text' }]
}

function placeOf(path: readonly PropertyKey[]): string {
  const steps = path.map((step) =>
    typeof step === 'number' ? `[${String(step)}]` : `.${String(step)}`,
  )
  const place = steps.join('').replace(/^\./, '')
  return place === '' ? 'script' : place
}

/** Ids are unique within a file, children included: references and children are found by them. */
function checkIds(file: ScriptFile, prefix: string, seen: Map<string, string>): void {
  for (const [index, turn] of file.turns.entries()) {
    const place = `${prefix}turns[${String(index)}]`
    checkReferences(turn, place)
    checkId(turn.id, `${place}.id`, seen)
    for (const [call, { id }] of (turn.toolCalls ?? []).entries())
      checkId(id, `${place}.toolCalls[${String(call)}].id`, seen)
  }
  for (const kind of ['children', 'sessions'] as const)
    for (const [key, script] of Object.entries(file[kind] ?? {}))
      checkIds(script, `${prefix}${kind}.${key}.`, seen)
}

function checkId(id: string | undefined, place: string, seen: Map<string, string>): void {
  if (id === undefined) return
  const first = seen.get(id)
  if (first !== undefined)
    throw invalid(place, `"${id}" is already the id at ${first}`, 'give it another id')
  seen.set(id, place)
}

function checkReferences(turn: FileTurn, place: string): void {
  const [wrong] = malformedReferences(turn)
  if (wrong === undefined) return
  const remedy = 'write {{callId.details.name}}, [0] or [key=value]'
  throw invalid(place, `${wrong} is not a reference`, remedy)
}

function toScript(file: ScriptFile): Script {
  return {
    turns: foldFailures(file.turns),
    protocol: file.protocol ?? 'native',
    children: toScripts(file.children),
    sessions: toScripts(file.sessions),
  }
}

function toScripts(
  files: Readonly<Record<string, ScriptFile>> | undefined,
): Record<string, Script> {
  return Object.fromEntries(Object.entries(files ?? {}).map(([key, file]) => [key, toScript(file)]))
}

/**
 * A turn that only fails for a while is a preface of the next one: turns are counted by
 * completion, and a failed attempt completes nothing.
 */
function foldFailures(turns: readonly FileTurn[]): ScriptTurn[] {
  const folded: ScriptTurn[] = []
  let ahead: ScriptFailure[] = []
  for (const [index, { fail, ...content }] of turns.entries()) {
    const failures = [...ahead, ...(fail === undefined ? [] : [fail])]
    const isPreface = Object.keys(content).length === 0 && fail?.times !== undefined
    if (isPreface && index < turns.length - 1) {
      ahead = failures
      continue
    }
    ahead = []
    folded.push({ ...content, failures })
  }
  return folded
}
