// The embedded database, in a thread of its own: its computing shall not stand in the way of calls and streams.
// Plain JavaScript: what Node 20 loads in a worker is what stands here.
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'

const { dataDir, settings, textTypes, byteaType } = workerData

// Types that the owner of the thread reads itself come as the database wrote them.
const asText = (text) => text
const toBytea = (bytes) => `\\x${Buffer.from(bytes).toString('hex')}`

const pglite = await PGlite.create({
  ...(dataDir === undefined ? {} : { dataDir }),
  startParams: [...PGlite.defaultStartParams, ...settings],
  parsers: Object.fromEntries(textTypes.map((type) => [type, asText])),
  serializers: { [byteaType]: toBytea },
})
await pglite.query('select 1')

parentPort.on('message', async ({ id, sql, parameters }) => {
  try {
    if (sql === undefined) {
      await pglite.close()
      parentPort.postMessage({ id })
      parentPort.close()
      return
    }
    const { rows, fields, rowCount, affectedRows, command } = await pglite.query(sql, parameters, {
      rowMode: 'array',
    })
    const columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }))
    const result = { rows, columns, command, rowCount: rowCount ?? affectedRows ?? 0 }
    parentPort.postMessage({ id, result })
  } catch (error) {
    parentPort.postMessage({ id, failure: { message: String(error?.message), code: error?.code } })
  }
})
parentPort.postMessage({ id: 0 })
