import { attack, type AttackCase, mark } from '../attack-case.js'

/** X6 what a process is born with, X7 the kernel's file systems. */
export const inheritance: readonly AttackCase[] = [
  attack('X6 its environment', 'env; cat /proc/self/environ'),
  attack('X6 the environment of others', 'cat /proc/[0-9]*/environ'),
  attack('X6 the command lines of others', 'cat /proc/[0-9]*/cmdline | tr "\\0" " "'),
  attack(
    'X6 open files',
    `for fd in /proc/self/fd/*; do n="\${fd##*/}"; [ "$n" -gt 2 ] && [ -e "/proc/$$/fd/$n" ] && [ "$n" != 255 ] && echo ${mark} "$(readlink /proc/$$/fd/$n)"; done; true`,
  ),
  attack(
    'X6 files of the host',
    ({ secretFile }) => `cat ${secretFile} /etc/shadow; ls -R /root /home /var/lib | head -200`,
  ),
  attack(
    'X7 processes of the host',
    ({ victimPid }) =>
      `kill -0 ${victimPid} 2>/dev/null && grep -q canary /proc/${victimPid}/cmdline && echo ${mark}; kill -9 ${victimPid} 2>/dev/null; true`,
    ({ commandLines, target }) => !commandLines.includes(`victim-${target.port}`),
  ),
  attack(
    'X7 settings of the kernel',
    `(echo 1 >/proc/sys/vm/drop_caches) 2>/dev/null && echo ${mark}`,
  ),
  attack('X7 the system request key', `(echo h >/proc/sysrq-trigger) 2>/dev/null && echo ${mark}`),
  attack(
    'X7 the memory of the machine',
    `(head -c 1 /proc/kcore | grep -q .) 2>/dev/null && echo ${mark}`,
  ),
  attack('X7 the log of the kernel', `dmesg 2>/dev/null | grep -q . && echo ${mark}`),
  attack(
    'X7 control groups',
    `for d in /sys/fs/cgroup /sys/fs/cgroup/*; do mkdir "$d/x7" 2>/dev/null && echo ${mark}; done; true`,
  ),
  attack(
    'X7 the system is written to',
    ({ openDirectory }) =>
      `for d in /usr /etc /var /root /boot ${openDirectory}; do (echo x > $d/x7) 2>/dev/null && echo ${mark} $d; done; true`,
  ),
]
