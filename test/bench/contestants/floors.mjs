import { spawn } from 'node:child_process'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, Server, ServerCredentials, credentials } from '@grpc/grpc-js'
import { closedLoop } from '../lib/closed-loop.mjs'
import { rawSandbox } from '../lib/raw-sandbox.mjs'
import { serve } from '../lib/serve.mjs'

const payload = Buffer.alloc(512, 'x')
const held = {}
const same = (bytes) => bytes
const path = '/bench.Echo/Echo'

/** A plain echo: no token, no deadline, no trace. */
async function echo(directory) {
  const address = `unix:${join(directory, 'echo.sock')}`
  const server = new Server()
  const method = {
    path,
    ...{ requestStream: false, responseStream: false },
    ...{ requestSerialize: same, requestDeserialize: same },
    ...{ responseSerialize: same, responseDeserialize: same },
  }
  server.addService({ echo: method }, { echo: ({ request }, answer) => answer(null, request) })
  const bound = (resolve, reject) => (error, port) => (error ? reject(error) : resolve(port))
  await new Promise((resolve, reject) =>
    server.bindAsync(address, ServerCredentials.createInsecure(), bound(resolve, reject)),
  )
  const client = new Client(address, credentials.createInsecure())
  return () =>
    new Promise((resolve, reject) =>
      client.makeUnaryRequest(path, same, same, payload, bound(resolve, reject)),
    )
}

serve({
  async prepare({ directory }) {
    const file = await open(join(directory, 'floor.journal'), 'a')
    held.append = async () => {
      await file.write(payload)
      await file.datasync()
    }
    held.echo = await echo(directory)
    held.sandbox = () => rawSandbox(spawn, '/bin/bash', '-c', 'true')
  },
  async measure({ times }) {
    const one = async (act) => (await closedLoop({ clients: 1, perClient: times, act })).p50Ms
    const appendMs = await one(held.append)
    const echoMs = await one(held.echo)
    const sandboxMs = await one(held.sandbox)
    return { appendMs, echoMs, sandboxMs, sumMs: 2 * appendMs + echoMs + sandboxMs }
  },
})
