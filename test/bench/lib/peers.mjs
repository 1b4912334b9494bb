import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startContestant } from './contestant.mjs'
import { peerScript, peersDirectory } from './places.mjs'

const run = promisify(execFile)
const installTimeoutMs = 300_000

/** What each peer is made of, exactly pinned. */
const peers = {
  restate: ['@restatedev/restate-server@1.7.12', '@restatedev/restate-sdk@1.17.2'],
  dbos: ['@dbos-inc/dbos-sdk@5.3.0'],
  langgraph: [
    '@langchain/langgraph@1.7.3',
    '@langchain/core@1.4.0',
    '@langchain/langgraph-checkpoint-postgres@1.0.5',
  ],
  emmett: ['@event-driven-io/emmett-postgresql@0.42.0', '@event-driven-io/emmett@0.42.0'],
  temporal: ['worker', 'proto', 'workflow', 'common'].map((name) => `@temporalio/${name}@1.24.0`),
  'sandbox-runtime': ['@anthropic-ai/sandbox-runtime@0.0.78'],
}

/** Gets a Debian program that a peer calls, without touching the system; gives the variables that find it. */
async function borrowed(program, packages) {
  const folder = join(peersDirectory, program)
  const file = join(folder, 'usr/bin', program)
  if (!existsSync(file)) {
    await mkdir(folder, { recursive: true })
    const script = `apt-get download ${packages} && for deb in *.deb; do dpkg-deb -x "$deb" .; done`
    await run('bash', ['-c', script], { cwd: folder, timeout: installTimeoutMs })
  }
  const libraries = join(folder, 'usr/lib/x86_64-linux-gnu')
  return { PATH: `${join(folder, 'usr/bin')}:${process.env.PATH}`, LD_LIBRARY_PATH: libraries }
}

/** Installs a peer into a folder of its own; a second call finds it there. */
async function installPeer(name) {
  const folder = join(peersDirectory, name)
  const marker = join(folder, 'installed.txt')
  const wanted = peers[name].join('\n')
  if (existsSync(marker) && (await readFile(marker, 'utf8')) === wanted) return folder
  await mkdir(folder, { recursive: true })
  const manifest = { name: `bench-peer-${name}`, private: true, type: 'module' }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  // Packages resolve from the file that imports them, and the scripts that drive the peers are elsewhere.
  await writeFile(join(folder, 'load.mjs'), 'export const load = (name) => import(name)\n')
  const options = ['install', '--no-audit', '--no-fund', '--save-exact', ...peers[name]]
  await run('npm', options, { cwd: folder, timeout: installTimeoutMs })
  await writeFile(marker, wanted)
  return folder
}

/** Starts a peer; gives the reason instead when it cannot be had here. */
export async function startPeer(name, { execArgv = [], args = [] } = {}) {
  try {
    const folder = await installPeer(name)
    const found = name === 'sandbox-runtime' ? await borrowed('socat', 'socat libwrap0') : {}
    const env = { ...process.env, ...found }
    const options = { name: `peer-${name}`, execArgv, env, args: [folder, ...args] }
    return { contestant: await startContestant(peerScript(name), options) }
  } catch (error) {
    return { missing: `${name} did not start here: ${String(error.message).split('\n')[0]}` }
  }
}

/** The versions that were asked for, for the result. */
export const peerVersions = (name) => peers[name].join(' ')
