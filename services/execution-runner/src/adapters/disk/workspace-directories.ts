import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { chmod, chown, mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { type WorkspaceDirectories, type WorkspaceDirectory } from '../../directories.js'
import { type UidRange } from './uid-range.js'

const run = promisify(execFile)
const NoteSchema = z.object({ tree: z.string().nullable() })

/**
 * `<root>/w/<workspace>/{files,private,spool}`. The cell's uid must get to its own directory and see
 * nothing else: parents can be passed but not listed, and `spool` is the runner's alone.
 */
export function createWorkspaceDirectories(
  root: string,
  uids: UidRange | undefined,
): WorkspaceDirectories {
  return { open: (workspaceId) => openDirectory(join(root, 'w', workspaceId), uids) }
}

async function openDirectory(
  home: string,
  uids: UidRange | undefined,
): Promise<WorkspaceDirectory> {
  const filesDirectory = join(home, 'files')
  const privateDirectory = join(home, 'private')
  const spoolDirectory = join(home, 'spool')
  const notePath = join(spoolDirectory, 'tree.json')
  const left = await stat(filesDirectory).catch(() => undefined)
  const uid = uids?.take(left?.uid)
  const makeFiles = async (): Promise<void> => {
    await mkdir(filesDirectory, { recursive: true })
    await chmod(filesDirectory, 0o700)
    if (uid !== undefined) await chown(filesDirectory, uid, uid)
  }
  try {
    await makeAll(home, privateDirectory, spoolDirectory)
    await makeFiles()
    if (left && uid !== undefined && left.uid !== uid) await giveTo(uid, filesDirectory)
  } catch (error) {
    if (uid !== undefined) uids?.giveBack(uid)
    throw error
  }
  return {
    ...{ filesDirectory, privateDirectory, spoolDirectory, uid },
    leftTree: left ? readNote(notePath) : undefined,
    clear: async () => {
      await rm(notePath, { force: true })
      await rm(filesDirectory, { recursive: true, force: true })
      await makeFiles()
    },
    noteChanging: () => {
      rmSync(notePath, { force: true })
    },
    note: (tree) => {
      writeFileSync(notePath, JSON.stringify({ tree }))
    },
    [Symbol.asyncDispose]: () => {
      if (uid !== undefined) uids?.giveBack(uid)
      return Promise.resolve()
    },
  }
}

async function makeAll(home: string, privateDirectory: string, spool: string): Promise<void> {
  await mkdir(home, { recursive: true })
  await chmod(home, 0o711)
  await mkdir(privateDirectory, { recursive: true })
  await chmod(privateDirectory, 0o711)
  await mkdir(spool, { recursive: true })
  await chmod(spool, 0o700)
}

/** Links are given away themselves, never what they point at. */
async function giveTo(uid: number, directory: string): Promise<void> {
  await run('chown', ['-R', '-h', '--', `${uid}:${uid}`, directory], { timeout: 600_000 })
}

function readNote(path: string): string | null | undefined {
  try {
    return NoteSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).tree
  } catch {
    return undefined
  }
}
