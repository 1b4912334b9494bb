import { attack, type AttackCase, mark } from '../attack-case.js'

const two = (
  name: string,
  first: (at: { readonly open: string; readonly secret: string }) => string,
  second: (at: { readonly open: string; readonly secret: string }) => string,
  cwd?: string,
): AttackCase => ({
  name,
  steps: ({ openDirectory: open, secretFile: secret }) => [
    { script: first({ open, secret }) },
    { script: second({ open, secret }), ...(cwd !== undefined && { cwd }) },
  ],
})

/** X1: links planted by one call, followed by the set-up or the collection of the next (CVE-2026-87766). */
export const links: readonly AttackCase[] = [
  two(
    'X1 a link to a file of the host is read',
    ({ secret }) => `ln -s ${secret} out.txt`,
    () => 'cat out.txt',
  ),
  two(
    'X1 a link to a directory of the host is written through',
    ({ open }) => `ln -s ${open} data`,
    () => 'echo x > data/x1-write',
  ),
  two(
    'X1 the working directory is a link to the host',
    ({ open }) => `ln -s ${open} work`,
    () => 'echo x > x1-cwd',
    'work',
  ),
  ...['proc', 'dev', 'tmp', 'home', 'usr', 'etc'].map((mount) =>
    two(
      `X1 a link in place of the mount point ${mount}`,
      ({ open }) => `rm -rf ${mount}; ln -s ${open} ${mount}`,
      () => 'true',
    ),
  ),
  two(
    'X1 the workspace itself is moved aside and replaced by a link',
    ({ open }) => `d=$PWD; cd /; mv "$d" "$d.old" && ln -s ${open} "$d"`,
    () => 'echo x > x1-moved',
  ),
  two(
    'X1 a hard link to a file of the host',
    ({ secret }) => `ln ${secret} hard.txt`,
    () => 'cat hard.txt',
  ),
  attack('X1 the root of the first process', ({ secretFile }) => `cat /proc/1/root${secretFile}`),
  attack(
    'X1 the working directory of the outer process',
    () => `ls /proc/1/cwd/.. >/dev/null; cat /proc/[0-9]*/root/etc/shadow && echo ${mark}`,
  ),
  {
    name: 'X1 a named pipe and a loop hold up who collects',
    steps: () => [{ script: 'mkfifo pipe; ln -s . loop; mkdir -p a/b; ln -s ../../a a/b/c' }],
    wentThrough: ({ tookMs }) => tookMs > 15_000,
  },
]
