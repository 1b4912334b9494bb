import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNats, startPostgres } from '@sciencediscovery/testing'
import { startContestant } from './contestant.mjs'
import { startPeer } from './peers.mjs'
import { verdictOf } from './table.mjs'

/**
 * What one benchmark works with: servers started on first use, processes, a place for files, a record.
 * Disposing it ends all of them.
 */
export async function createBench({ id, facts, quick, rounds, results, log }) {
  const directory = await mkdtemp(join(tmpdir(), 'scid-bench-'))
  // Sandboxes have uids of their own, which must get through to what is below.
  await chmod(directory, 0o755)
  const closers = []
  const opened = {}
  const once = (name, start) => (opened[name] ??= start())
  const disposable = async (thing) => {
    const made = await thing
    closers.push(() => made[Symbol.asyncDispose]())
    return made
  }
  const closing = (contestant) => {
    closers.push(() => contestant.close())
    return contestant
  }
  const record = (row) => {
    const { rounds: measured, ...shown } = row
    results.add({ id, ...shown, measured, facts })
    log(`${id} ${row.what}: ${row.ours ?? ''} ${row.unit ?? ''} ${verdictOf(row)}`)
  }
  return {
    ...{ quick, rounds, directory, log, record },
    contestant: async (script, options) => closing(await startContestant(script, options)),
    /** One server that syncs before it acknowledges. */
    nats: (setting) => once('nats', () => disposable(startNats(setting))),
    postgres: () => once('postgres', () => disposable(startPostgres({ fsync: true }))),
    /** Undefined, with a row that says why, when the peer cannot be had. */
    peer: (name, options) =>
      once(`peer-${name}`, async () => {
        const { contestant, missing } = await startPeer(name, options)
        if (contestant) return closing(contestant)
        record({ what: missing, missing: true })
        return undefined
      }),
    [Symbol.asyncDispose]: async () => {
      for (const close of closers.reverse()) await close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
