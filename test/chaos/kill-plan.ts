import { type ReferenceType, referenceTypes } from './reference-run.js'

/** Who is killed: of the replicated ones, the replica that works on the run. */
export const victims = ['orchestrator', 'runner', 'gateway', 'artifact-store'] as const
export type Victim = (typeof victims)[number]

export interface Kill {
  readonly after: ReferenceType
  readonly victim: Victim
}

// The victim rotates; where it makes a difference the one that has most to lose is taken.
const eachTypeOnce: Readonly<Record<ReferenceType, Victim>> = {
  'run.started': 'orchestrator',
  'message.added': 'gateway',
  'model.turn.requested': 'artifact-store',
  'model.turn.completed': 'orchestrator',
  'plan.updated': 'runner',
  'tool.call.requested': 'gateway',
  'tool.call.blocked': 'orchestrator',
  'tool.call.released': 'runner',
  'execution.completed': 'orchestrator',
  'workspace.changed': 'gateway',
  'tool.call.completed': 'artifact-store',
  'model.turn.failed': 'runner',
  'artifact.declared': 'artifact-store',
  'run.completed': 'orchestrator',
}

/** Each event type once with the victim rotating, or every victim after every type. */
export function killPlan(isFull: boolean): readonly Kill[] {
  return referenceTypes.flatMap((after) =>
    (isFull ? victims : [eachTypeOnce[after]]).map((victim) => ({ after, victim })),
  )
}
