import { createHash } from 'node:crypto'
import { chmod, mkdir, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * A directory that every uid can get to. Below a directory that only its owner can pass, the uid of a
 * workspace could not reach its own files; then they are under /var/lib.
 */
export async function openWorkspaceRoot(dataDirectory: string, ownUids: boolean): Promise<string> {
  await mkdir(dataDirectory, { recursive: true })
  const place = await realpath(dataDirectory)
  const reachable = !ownUids || (await canBePassed(place))
  const hash = createHash('sha256').update(place).digest('hex').slice(0, 16)
  const root = reachable ? join(place, 'runner') : join('/var/lib/sciencediscovery', hash)
  await mkdir(join(root, 'w'), { recursive: true })
  for (const path of [...(reachable ? [] : [dirname(root)]), root, join(root, 'w')]) {
    await chmod(path, 0o711)
  }
  return root
}

async function canBePassed(path: string): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false
    if (at === '/') return true
  }
}
