import { PlatformError } from '@sciencediscovery/kernel'
import { type Instruction, answer, assemble, load, seccompFields, unless, when } from './bpf.js'
import { architectures, clone3 } from './system-calls.js'

const allow = 0x7fff0000
const killProcess = 0x80000000
const errno = (code: number): number => 0x00050000 | code
const notPermitted = errno(1)
const notImplemented = errno(38)
const familyNotSupported = errno(97)

/** CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET}. */
const newNamespaces = 0x7e020000
/** TIOCSTI types into the terminal that the caller shares, TIOCLINUX pastes into it. */
const terminalInjections = [0x5412, 0x541c]
/** unix, inet, inet6, netlink: the others (vsock above all) do not stop at a network namespace. */
const socketFamilies = [1, 2, 10, 16]

/** The filter that bubblewrap loads: what an execution has no use for, and what namespaces do not cover, is refused. */
export function seccompFilter(nodeArchitecture: string): Buffer {
  const found = architectures[nodeArchitecture]
  if (!found) {
    throw new PlatformError('unavailable', `no system call filter for ${nodeArchitecture}`, {
      remedy: 'run on x86_64 or aarch64',
    })
  }
  const program: Instruction[] = [
    load(seccompFields.architecture),
    ...unless('equal', found.audit, [answer(killProcess)]),
    load(seccompFields.number),
    ...(found.secondTable === null
      ? []
      : when('greaterOrEqual', found.secondTable, [answer(notImplemented)])),
    ...when('equal', clone3, [answer(notImplemented)]),
    ...found.refused.flatMap((number) => when('equal', number, [answer(notPermitted)])),
    ...when('equal', found.clone, [
      load(seccompFields.argument(0)),
      ...when('anySet', newNamespaces, [answer(notPermitted)]),
      answer(allow),
    ]),
    ...when('equal', found.ioctl, [
      load(seccompFields.argument(1)),
      ...terminalInjections.flatMap((request) => when('equal', request, [answer(notPermitted)])),
      answer(allow),
    ]),
    ...when('equal', found.socket, [
      load(seccompFields.argument(0)),
      ...socketFamilies.flatMap((family) => when('equal', family, [answer(allow)])),
      answer(familyNotSupported),
    ]),
    answer(allow),
  ]
  return assemble(program)
}
