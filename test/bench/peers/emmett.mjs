import { closedLoop } from '../lib/closed-loop.mjs'
import { load } from '../lib/peer-load.mjs'
import { serve } from '../lib/serve.mjs'

const { getPostgreSQLEventStore } = await load('@event-driven-io/emmett-postgresql')

const held = { next: 0 }
const event = { type: 'Appended', data: { text: 'x'.repeat(480) } }

serve({
  async prepare({ url }) {
    held.store = getPostgreSQLEventStore(url)
    await held.store.schema.migrate()
  },
  measure({ writers, perWriter }) {
    held.next += 1
    const { next } = held
    return closedLoop({
      clients: writers,
      perClient: perWriter,
      act: (writer, turn) =>
        held.store.appendToStream(`bench-${next}-${writer}`, [event], {
          expectedStreamVersion: turn === 0 ? 'STREAM_DOES_NOT_EXIST' : BigInt(turn),
        }),
    })
  },
})
