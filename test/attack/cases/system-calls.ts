import { attack, type AttackCase, mark, python } from '../attack-case.js'

/** Numbers for x86-64 with arguments that reach the kernel's code when nothing stops them. */
const calls: readonly (readonly [string, string])[] = [
  ['unshare of a user namespace', '272, 0x10000000'],
  ['setns', '308, 0, 0'],
  ['mount', '165, b"none", b"/tmp", b"tmpfs", 0, 0'],
  ['pivot_root', '155, b"/tmp", b"/tmp"'],
  ['chroot', '161, b"/tmp"'],
  ['ptrace', '101, 0, 0, 0, 0'],
  ['process_vm_readv', '310, 1, 0, 0, 0, 0, 0'],
  ['keyctl', '250, 0, -3, 1'],
  ['add_key', '248, b"user", b"k", b"v", 1, -3'],
  ['bpf', '321, 0, 0, 0'],
  ['io_uring_setup', '425, 1, 0'],
  ['userfaultfd', '323, 1'],
  ['perf_event_open', '298, 0, 0, -1, -1, 0'],
  ['open_by_handle_at', '304, -100, 0, 0'],
  ['kexec_load', '246, 0, 0, 0, 0'],
  ['init_module', '175, 0, 0, b""'],
  ['reboot', '169, 0, 0, 0, 0'],
  ['the new mount calls', '430, b"tmpfs", 0'],
  ['pidfd_getfd', '438, 0, 0, 0'],
]

/** X4: kernel code that a wall must keep out of reach, whatever the arguments are. */
export const systemCalls: readonly AttackCase[] = [
  ...calls.map(([name, given]) => attack(`X4 ${name}`, python(`through(${given})`))),
  attack(
    'X4 clone with a user namespace',
    python(
      `answer, why = call(56, 0x10000000 | 17, 0, 0, 0, 0)\nif answer == 0: os._exit(0)\nif answer > 0 or why not in refused: print("${mark}")`,
    ),
  ),
  attack('X4 the second call table', python('through(0x40000000 + 39)')),
]
