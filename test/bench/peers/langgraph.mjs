import { closedLoop } from '../lib/closed-loop.mjs'
import { load } from '../lib/peer-load.mjs'
import { serve } from '../lib/serve.mjs'

const { Annotation, END, START, StateGraph } = await load('@langchain/langgraph')
const { PostgresSaver } = await load('@langchain/langgraph-checkpoint-postgres')
const text = 'x'.repeat(512)
const held = { next: 0 }

const State = Annotation.Root({ count: Annotation(), steps: Annotation(), last: Annotation() })
const graph = new StateGraph(State)
  .addNode('step', ({ count }) => ({ count: count + 1, last: text }))
  .addEdge(START, 'step')
  .addConditionalEdges('step', ({ count, steps }) => (count < steps ? 'step' : END))

serve({
  async prepare({ url }) {
    const saver = PostgresSaver.fromConnString(url)
    await saver.setup()
    held.graph = graph.compile({ checkpointer: saver })
  },
  async measure({ steps, clients, perClient }) {
    const act = () => {
      held.next += 1
      return held.graph.invoke(
        { count: 0, steps, last: '' },
        {
          configurable: { thread_id: `t-${process.pid}-${held.next}` },
          durability: 'sync',
          recursionLimit: steps + 10,
        },
      )
    }
    const found = await closedLoop({ clients, perClient, act })
    return { ...found, stepsPerSecond: found.perSecond * steps }
  },
})
