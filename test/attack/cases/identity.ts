import { readdir, readFile, stat } from 'node:fs/promises'
import { until } from '@sciencediscovery/testing'
import { attack, type AttackCase, mark, python } from '../attack-case.js'

const named = 'x3-identity'

/** Whose process the host takes it for, once it is there; undefined when it never comes. */
async function uidOf(commandLine: string): Promise<number | undefined> {
  const found: { uid?: number } = {}
  const look = async (): Promise<boolean> => {
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      if (!line.startsWith(commandLine)) continue
      found.uid = (await stat(`/proc/${pid}`)).uid
      return true
    }
    return false
  }
  await until('it runs', look, 10_000).catch(() => undefined)
  return found.uid
}

/** X2 terminals, X3 who one is, X9 programs that change it. */
export const identity: readonly AttackCase[] = [
  attack(
    'X2 TIOCSTI into the terminal of the host',
    python(
      `import fcntl\nfor fd in (0, 1, 2):\n    try:\n        fcntl.ioctl(fd, 0x5412, b"x")\n        print("${mark}")\n    except OSError: pass`,
    ),
  ),
  attack('X2 the controlling terminal', `(exec 3<>/dev/tty) 2>/dev/null && echo ${mark}`),
  attack('X2 the console', `(echo x >/dev/console) 2>/dev/null && echo ${mark}`),
  {
    name: 'X3 it is root on the host',
    steps: () => [{ script: `exec -a ${named} sleep 1.5` }],
    meanwhile: async () => (await uidOf(named)) === 0,
  },
  attack(
    'X3 it has capabilities',
    `grep -q 'CapEff:.*[1-9a-f]' /proc/self/status && echo ${mark}; grep -q 'CapBnd:.*[1-9a-f]' /proc/self/status && echo ${mark}`,
  ),
  attack('X3 it becomes root', `setpriv --reuid 0 true 2>/dev/null && echo ${mark}`),
  attack('X3 it makes a device', `mknod disk b 8 0 2>/dev/null && echo ${mark}`),
  attack('X3 it gives a file away', `touch f; chown 0:0 f 2>/dev/null && echo ${mark}`),
  attack(
    'X9 programs with the set-uid bit keep their power',
    `grep -q 'NoNewPrivs:.*1' /proc/self/status || echo ${mark}`,
  ),
  attack(
    'X9 a set-uid copy of a shell stays behind with power',
    `cp /bin/bash sh4755 && chmod 4755 sh4755; ./sh4755 -p -c '[ "$EUID" = "$UID" ] || echo ${mark}'`,
  ),
]
