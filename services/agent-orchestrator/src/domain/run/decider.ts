import { type Decider, exhaustive } from '@sciencediscovery/kernel'
import { type RunEvent } from '@sciencediscovery/run-events'
import { type RunCommand } from './commands.js'
import { blockCall, completeCall, failCall, releaseCall, unrecorded } from './decide-calls.js'
import { expire, forceEnd, requestCancel, takeOver } from './decide-ends.js'
import { recordModelFailure, recordModelTurn, startRun } from './decide-model.js'
import { evolve } from './evolve.js'
import { type RunState } from './state.js'

/**
 * Invariants of a run:
 * - run.started is first (or a cancel request that came before it); after an end only effects are recorded;
 * - at most one model turn is open, and none while calls of the turn before are;
 * - every request gets exactly one outcome, and an attempt that was taken over is refused;
 * - exclusive calls run alone and in declared order; results enter history in declared order;
 * - the plan changes at most once per model turn (S-23);
 * - budgets are checked before each model turn; equal calls are warned at 10 and stopped at 20.
 */
export const runDecider: Decider<RunState, RunCommand, RunEvent> = {
  initialState: () => ({ status: 'unborn' }),
  decide(command, state) {
    switch (command.type) {
      case 'StartRun':
        return startRun(command, state)
      case 'RecordModelTurn':
        return recordModelTurn(command, state)
      case 'RecordModelFailure':
        return recordModelFailure(command, state)
      case 'BlockCall':
        return blockCall(command, state)
      case 'ReleaseCall':
        return releaseCall(command, state)
      case 'CompleteCall':
        return completeCall(command, state)
      case 'FailCall':
        return failCall(command, state)
      case 'RecordEffects':
        return 'facts' in state ? unrecorded(state.facts, command.effects) : []
      case 'TakeOver':
        return takeOver(command, state)
      case 'RequestCancel':
        return requestCancel(command, state)
      case 'ForceEnd':
        return forceEnd(command, state)
      case 'Expire':
        return expire(command, state)
      default:
        return exhaustive(command)
    }
  },
  evolve,
}
