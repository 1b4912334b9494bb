import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendRow, natsBackend, startNats } from '@sciencediscovery/testing'
import { describe, expect, test } from 'vitest'
import { connectJetStream } from './connect-jetstream.js'

const appends = 50
const hasStrace = spawnSync('strace', ['--version']).status === 0
const skip = natsBackend().skip ?? (hasStrace ? undefined : 'no strace (apt-get install strace)')

/** The system calls of a server, line by line, from when the tracer is attached. */
async function traced(pid: number, work: () => Promise<void>): Promise<readonly string[]> {
  const calls = 'trace=write,writev,sendto,fsync,fdatasync'
  const tracer = spawn('strace', ['-f', '-s', '200', '-e', calls, '-p', String(pid)])
  const chunks: Buffer[] = []
  const attached = new Promise<void>((resolve) => {
    tracer.stderr.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if (chunk.includes('attached')) resolve()
    })
  })
  await attached
  await work()
  tracer.kill('SIGINT')
  await once(tracer, 'close')
  return Buffer.concat(chunks).toString('latin1').split('\n')
}

describe.skipIf(skip !== undefined)(
  `R2: a server that syncs always${skip === undefined ? '' : ` (${skip})`}`,
  () => {
    test('answers no append before it has synced what it stored', async () => {
      await using servers = await startNats()
      await using ports = await connectJetStream({ servers: servers.urls, prefix: 'proof' })
      const subject = 'sessions.p1.proof'
      const lines = await traced(servers.nodes[0]?.pid() ?? 0, async () => {
        await appendRow(ports.store, subject, appends)
      })
      let synced = 0
      const unsynced: string[] = []
      let answered = 0
      for (const line of lines) {
        if (/\b(fsync|fdatasync)\(/.test(line)) synced += 1
        if (!/\{\\"stream\\":\\"[^"]*SESSIONS\\"[^}]*\\"seq\\":/.test(line)) continue
        answered += 1
        if (synced === 0) unsynced.push(line)
        synced = 0
      }
      expect(unsynced).toEqual([])
      expect(answered).toBe(appends)
    })
  },
)
