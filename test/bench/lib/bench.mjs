import { appendFile, chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNats, startPostgres } from '@sciencediscovery/testing'
import { startContestant } from './contestant.mjs'
import { startPeer } from './peers.mjs'

/**
 * What one benchmark works with: servers started on first use, processes, a place for files, a record.
 * Disposing it ends all of them.
 */
export async function createBench({ id, facts, quick, rounds, resultsPath, log }) {
  const directory = await mkdtemp(join(tmpdir(), 'scid-bench-'))
  // Sandboxes have uids of their own, which must get through to what is below.
  await chmod(directory, 0o755)
  const rows = []
  const closers = []
  const once = {}
  const opened = async (name, start) => {
    once[name] ??= start()
    return once[name]
  }
  const disposable = async (thing) => {
    const made = await thing
    closers.push(() => made[Symbol.asyncDispose]())
    return made
  }
  const contestant = async (script, options) => {
    const started = await startContestant(script, options)
    closers.push(() => started.close())
    return started
  }
  return {
    ...{ quick, rounds, directory, rows, log, contestant },
    /** One server that syncs before it acknowledges. */
    nats: (setting) => opened('nats', () => disposable(startNats(setting))),
    postgres: () => opened('postgres', () => disposable(startPostgres({ fsync: true }))),
    /** Undefined, with a row that says why, when the peer cannot be had. */
    peer: (name, options) =>
      opened(`peer-${name}`, async () => {
        const { contestant: peer, missing } = await startPeer(name, options)
        if (missing) rows.push({ id, what: missing, unit: '', missing: true })
        else closers.push(() => peer.close())
        return peer
      }),
    record: async (row) => {
      const { rounds: measured, ...shown } = { id, ...row }
      rows.push(shown)
      log(`${id} ${shown.what}: ${JSON.stringify(shown.ours)} ${shown.unit} ${verdictOf(shown)}`)
      await appendFile(resultsPath, `${JSON.stringify({ ...facts, ...shown, measured })}\n`)
    },
    [Symbol.asyncDispose]: async () => {
      for (const close of closers.reverse()) await close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** In one word whether the goal is met. */
export function verdictOf({ holds, missing }) {
  if (missing) return 'left out'
  if (holds === undefined) return '–'
  return holds ? 'met' : 'missed'
}
