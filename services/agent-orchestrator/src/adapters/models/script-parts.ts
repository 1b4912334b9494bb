import { invalid } from '@sciencediscovery/kernel'
import { type Script } from './script.js'

/** How a task call may be named in `children`. */
export interface ChildNames {
  readonly callId: string
  readonly label?: string
  readonly description?: string
}

/** The key under which the script has that child: by call id, else label, else description. */
export function findChildKey(script: Script, names: ChildNames): string | undefined {
  return [names.callId, names.label, names.description].find(
    (name) => name !== undefined && Object.hasOwn(script.children, name),
  )
}

/** The spec of a child's model: its parent's, pointing one step into the script. */
export function childSpec(parentSpec: string, key: string): string {
  return partSpec(parentSpec, 'children', key)
}

/** The spec of the model of a further session of the same script. */
export function sessionSpec(rootSpec: string, name: string): string {
  return partSpec(rootSpec, 'sessions', name)
}

function partSpec(spec: string, kind: 'children' | 'sessions', key: string): string {
  return `${spec}${spec.includes('#') ? '' : '#'}/${kind}/${encodeURIComponent(key)}`
}

/** The part of a script that a pointer like `/children/c1` names. */
export function scriptPart(script: Script, pointer: string): Script {
  const steps = pointer.split('/').slice(1)
  let part = script
  for (let at = 0; at < steps.length; at += 2) {
    const kind = steps[at]
    const key = decode(steps[at + 1] ?? '')
    const parts = kind === 'children' || kind === 'sessions' ? part[kind] : {}
    const next = Object.hasOwn(parts, key) ? parts[key] : undefined
    if (next === undefined)
      throw invalid(`script${pointer}`, `has no ${String(kind)} named "${key}"`)
    part = next
  }
  return part
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
