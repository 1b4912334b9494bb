import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createServer } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePorts } from '@sciencediscovery/testing'
import { closedLoop } from '../lib/closed-loop.mjs'
import { load, peerFolder } from '../lib/peer-load.mjs'
import { serve } from '../lib/serve.mjs'

const restate = await load('@restatedev/restate-sdk')
const text = 'x'.repeat(512)
const agent = new Agent({ keepAlive: true, maxSockets: 128 })
const held = { next: 0 }

const bench = restate.service({
  name: 'bench',
  handlers: {
    run: async (context, steps) => {
      for (let index = 0; index < steps; index += 1) await context.run(`step-${index}`, () => text)
      return steps
    },
  },
})

function post(port, path, body) {
  const content = JSON.stringify(body)
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(content),
  }
  return new Promise((resolve, reject) => {
    const call = request(
      { port, path, host: '127.0.0.1', method: 'POST', agent, headers },
      (answer) => {
        const pieces = []
        answer.on('data', (piece) => pieces.push(piece))
        answer.on('end', () => {
          const told = Buffer.concat(pieces).toString()
          if (answer.statusCode < 300) resolve(told)
          else reject(new Error(`${path}: ${answer.statusCode} ${told}`))
        })
      },
    )
    call.on('error', reject)
    call.end(content)
  })
}

async function untilRegistered(admin, uri) {
  for (let look = 0; ; look += 1) {
    try {
      return await post(admin, '/deployments', { uri })
    } catch (error) {
      if (look > 100) throw error
      await pause(250)
    }
  }
}

/** One node with its default of one sync per batch of entries, its files on the disk of everybody else's. */
async function startServer() {
  const [ingress, admin, node] = await freePorts(3)
  const directory = mkdtempSync(join(tmpdir(), 'scid-restate-'))
  const program = join(
    peerFolder,
    'node_modules/@restatedev/restate-server-linux-x64/bin/restate-server',
  )
  const env = {
    ...{ PATH: process.env.PATH, HOME: directory, DO_NOT_TRACK: '1', RUST_LOG: 'warn' },
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
  }
  const child = spawn(program, ['--base-dir', directory, '--node-name', 'bench'], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  process.on('exit', () => {
    child.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  })
  return { ingress, admin }
}

serve({
  async prepare() {
    const { ingress, admin } = await startServer()
    const server = createServer(restate.createEndpointHandler({ services: [bench] }))
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    await untilRegistered(admin, `http://127.0.0.1:${server.address().port}`)
    held.ingress = ingress
  },
  async measure({ steps, clients, perClient }) {
    const act = () => post(held.ingress, '/bench/run', steps)
    const found = await closedLoop({ clients, perClient, act })
    return { ...found, stepsPerSecond: found.perSecond * steps }
  },
})
