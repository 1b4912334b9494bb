import { lstat, readlink } from 'node:fs/promises'
import { type FilesPlace } from '../../workspace-files.js'

const workspaceMount = '/workspace'

/** A program and its arguments, and the directory below the workspace it works in. */
export interface SearchCommand {
  readonly directory: string
  readonly argv: readonly string[]
}

/** The command line that runs a search where it sees the system and the files, read-only, and nothing else. */
export async function searchWall(
  bwrapPath: string,
  { filesDirectory }: FilesPlace,
  { directory, argv }: SearchCommand,
): Promise<readonly string[]> {
  return [
    bwrapPath,
    ...['--unshare-user', '--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts'],
    ...['--unshare-cgroup', '--disable-userns', '--uid', '1000', '--gid', '1000'],
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv'],
    ...['--setenv', 'LANG', 'C.UTF-8', '--ro-bind', '/usr', '/usr'],
    ...(await systemLinks()),
    ...['--ro-bind-try', '/etc/ld.so.cache', '/etc/ld.so.cache', '--dev', '/dev'],
    ...['--ro-bind', filesDirectory, workspaceMount, '--remount-ro', '/'],
    ...['--chdir', `${workspaceMount}/${directory}`, '--'],
    ...argv,
  ]
}

async function systemLinks(): Promise<string[]> {
  const links: string[] = []
  for (const path of ['/bin', '/lib', '/lib64']) {
    const entry = await lstat(path).catch(() => undefined)
    if (entry?.isSymbolicLink()) links.push('--symlink', await readlink(path), path)
  }
  return links
}
