import {
  commandIdOf,
  connectJetStream,
  createAggregates,
  createEmbeddedStore,
} from '@sciencediscovery/event-store'
import { runSubject } from '@sciencediscovery/run-events'
import { runType } from '../../../services/agent-orchestrator/dist/aggregate-types.js'
import { openRequests } from '../../../services/agent-orchestrator/dist/domain/run/open-requests.js'
import { closedLoop } from '../lib/closed-loop.mjs'
import { askedCall, commands, idsOf, ownResult, stepText } from '../lib/run-story.mjs'
import { serve } from '../lib/serve.mjs'

const held = { runs: undefined, shards: 4, next: 0 }

/** The model's part: one own call per turn, or all calls in the first turn, each run when it is requested. */
const scripts = {
  own: (turn, steps) => (turn <= steps ? [askedCall(`c${turn}`, ownResult)] : []),
  keyed: (turn, steps) =>
    turn === 1 ? Array.from({ length: steps }, (_, index) => askedCall(`c${index}`)) : [],
}

/** A level-triggered driver: does what the state asks for until nothing is open. */
async function drive(way, steps) {
  held.next += 1
  const ids = idsOf(`${process.pid}-${held.next}`, held.shards)
  const subject = runSubject(ids.runId)
  const handle = (command, ...key) =>
    held.runs.handle(subject, command, {
      commandId: commandIdOf(ids.runId, ...key, command.type),
      causationId: String(key[0]),
      correlationId: ids.runId,
    })
  let { folded } = await handle(commands.start(ids), 'start')
  for (;;) {
    const [request] = openRequests(folded.state)
    if (!request) return folded
    const command =
      request.kind === 'model'
        ? commands.turn(request.turn, scripts[way](request.turn, steps))
        : commands.complete(request.call.asked.callId, await step())
    folded = (await handle(command, request.requestId, request.turn, request.attempt)).folded
  }
}

/** The in-process tool. */
const step = () => Promise.resolve(stepText)

serve({
  async prepare({ kind, servers, prefix, shards, directory }) {
    held.shards = shards
    const { store } =
      kind === 'embedded'
        ? await createEmbeddedStore({ directory, runShards: shards })
        : await connectJetStream({ servers, prefix, runShards: shards })
    held.runs = createAggregates(runType, { store, clock: Date.now, writer: 'bench' })
  },
  async measure({ way, steps, clients, perClient }) {
    const act = async () => {
      const { state } = await drive(way, steps)
      if (state.status !== 'completed') throw new Error(`the run is ${state.status}`)
    }
    const found = await closedLoop({ clients, perClient, act })
    return { ...found, stepsPerSecond: found.perSecond * steps }
  },
})
