import { environmentMount, sandboxHome, type SandboxProfile, workspaceMount } from './profile.js'

/** Where the mounted things are on the host. */
export interface MountSources {
  readonly filesDirectory: string
  /** Minimal passwd, group, hosts and nsswitch.conf. */
  readonly identityDirectory: string
  /** System links such as /lib64 → usr/lib64. */
  readonly systemLinks: readonly { readonly path: string; readonly target: string }[]
}

const walls = [
  '--unshare-user',
  '--unshare-ipc',
  '--unshare-pid',
  '--unshare-net',
  '--unshare-uts',
  '--unshare-cgroup',
  '--disable-userns',
  ...['--uid', '1000', '--gid', '1000', '--hostname', 'sandbox'],
  ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv'],
]

/**
 * The arguments of one start. Everything is mounted on a fresh root before the workspace is bound, and
 * nothing after it or below it: set-up code that follows a link planted by an earlier execution would
 * act outside the sandbox (D4).
 */
export function bwrapArguments(
  profile: SandboxProfile,
  sources: MountSources,
  cwd: string,
): readonly string[] {
  return [
    ...walls,
    ...profile.systemDirectories.flatMap((path) => ['--ro-bind', path, path]),
    ...sources.systemLinks.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...profile.settings.flatMap((path) => ['--ro-bind-try', path, path]),
    ...identityFiles.flatMap((name) => [
      '--ro-bind',
      `${sources.identityDirectory}/${name}`,
      `/etc/${name}`,
    ]),
    ...(profile.environmentPrefix === null
      ? []
      : ['--ro-bind', profile.environmentPrefix, environmentMount]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...temporary(profile.sharedMemoryBytes, '/dev/shm', '1777'),
    ...['--remount-ro', '/dev'],
    ...temporary(profile.temporaryBytes, '/tmp', '1777'),
    ...temporary(profile.homeBytes, sandboxHome, '0700'),
    ...['--bind', sources.filesDirectory, workspaceMount, '--remount-ro', '/'],
    ...variables(profile),
    ...['--chdir', cwd === '' ? workspaceMount : `${workspaceMount}/${cwd}`],
  ]
}

export const identityFiles = ['passwd', 'group', 'hosts', 'nsswitch.conf'] as const

function temporary(sizeBytes: number, path: string, mode: string): string[] {
  return ['--perms', mode, '--size', String(sizeBytes), '--tmpfs', path]
}

function variables({ environmentPrefix }: SandboxProfile): string[] {
  const system = '/usr/local/bin:/usr/bin:/bin'
  const values = {
    PATH: environmentPrefix === null ? system : `${environmentMount}/bin:${system}`,
    HOME: sandboxHome,
    USER: 'scientist',
    LOGNAME: 'scientist',
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    TMPDIR: '/tmp',
    PYTHONNOUSERSITE: '1',
    SCIENCEDISCOVERY_WORKSPACE: workspaceMount,
  }
  return Object.entries(values).flatMap(([name, value]) => ['--setenv', name, value])
}
