import { closedLoop } from '../lib/closed-loop.mjs'
import { load } from '../lib/peer-load.mjs'
import { serve } from '../lib/serve.mjs'

const { DBOS } = await load('@dbos-inc/dbos-sdk')
const text = 'x'.repeat(512)

const workflow = DBOS.registerWorkflow(
  async (steps) => {
    for (let index = 0; index < steps; index += 1) {
      await DBOS.runStep(() => Promise.resolve(text), { name: `step-${index}` })
    }
    return steps
  },
  { name: 'bench' },
)

serve({
  async prepare({ url }) {
    DBOS.setConfig({
      name: 'bench',
      systemDatabaseUrl: url,
      runAdminServer: false,
      logLevel: 'error',
    })
    await DBOS.launch()
  },
  async measure({ steps, clients, perClient }) {
    const found = await closedLoop({ clients, perClient, act: () => workflow(steps) })
    return { ...found, stepsPerSecond: found.perSecond * steps }
  },
})
