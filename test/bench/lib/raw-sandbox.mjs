import { existsSync } from 'node:fs'

const links = ['bin', 'sbin', 'lib', 'lib64'].filter((name) => existsSync(`/usr/${name}`))
const walls = [
  ...['--unshare-all', '--cap-drop', 'ALL', '--clearenv', '--die-with-parent', '--new-session'],
  ...['--ro-bind', '/usr', '/usr', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
  ...links.flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
]

/** The floor of a sandbox: bubblewrap with all namespaces, started by Node, nothing recorded or collected. */
export function rawSandbox(spawn, ...argv) {
  return new Promise((resolve, reject) => {
    const child = spawn('bwrap', [...walls, '--', ...argv], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`bwrap ended with ${code}`))
    })
  })
}
