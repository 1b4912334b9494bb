import { lstat, readlink } from 'node:fs/promises'
import { type FilesPlace } from '../../workspace-files.js'
import { type SearchCommand } from './file-search.js'

const workspaceMount = '/workspace'

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
