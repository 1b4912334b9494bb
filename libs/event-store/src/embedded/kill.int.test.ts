import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { codeOf, collect, until } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEmbeddedStore } from './create-embedded-store.js'

const subject = 'runs.0.p1.killed'

/** Appends to the subject until it is killed, and prints each version when it is acknowledged. */
const victim = `
import { createEmbeddedStore } from '${join(import.meta.dirname, 'create-embedded-store.ts')}'
const { store } = await createEmbeddedStore({ directory: process.argv[2] })
let last = await store.last('${subject}')
for (;;) {
  const version = (last?.commit.version ?? 0) + 1
  const id = 'c-' + version
  last = await store.append({
    commitId: id, subject: '${subject}', version, previousId: last?.commit.commitId ?? null,
    firstPosition: version, commandId: id, causationId: 'c', correlationId: 'r', writer: 'victim',
    recordedAt: 'now', events: [{ type: 'x.y', v: 1, data: { text: 'x'.repeat(2000) } }],
  }, last?.sequence ?? 0)
  process.stdout.write(version + '\\n')
}
`

describe('an embedded store whose process is killed', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'scid-kill-'))
    await writeFile(join(folder, 'victim.ts'), victim)
    await build({
      entryPoints: [join(folder, 'victim.ts')],
      outfile: join(folder, 'victim.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      conditions: ['source'],
    })
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('kill -9: the directory is free at once, and every acknowledged commit is there, five times over', async () => {
    const directory = join(folder, 'files')
    let acknowledged = 0
    for (let round = 1; round <= 5; round += 1) {
      const child = spawn(process.execPath, [join(folder, 'victim.mjs'), directory], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const exited = new Promise((resolve) => child.once('exit', resolve))
      createInterface({ input: child.stdout }).on('line', (line) => (acknowledged = Number(line)))
      const enough = acknowledged + 40
      await until('it has appended', () => acknowledged >= enough, 30_000)
      expect(await codeOf(createEmbeddedStore({ directory }))).toBe('unavailable')
      child.kill('SIGKILL')
      await exited
      await using embedded = await createEmbeddedStore({ directory })
      const last = await embedded.store.last(subject)
      const all = await collect(embedded.store.read(subject, { upToSequence: last?.sequence ?? 0 }))
      const versions = all.map(({ commit }) => commit.version)
      expect(versions).toEqual(Array.from({ length: versions.length }, (_, index) => index + 1))
      expect(versions.length).toBeGreaterThanOrEqual(acknowledged)
    }
  }, 120_000)
})
