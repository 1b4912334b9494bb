import { attack, type AttackCase, mark, python } from '../attack-case.js'

const connected = ({ connections }: { readonly connections: number }): boolean => connections > 0

const connect = (family: string, address: string): string =>
  python(
    `s = socket.socket(${family})\ns.settimeout(2)\ntry:\n    s.connect(${address})\n    print("${mark}")\nexcept OSError: pass`,
  )

const opens = (family: number, kind: number): string =>
  python(`try:\n    socket.socket(${family}, ${kind})\n    print("${mark}")\nexcept OSError: pass`)

/** X5 sockets of the host, X10 networks. */
export const reach: readonly AttackCase[] = [
  attack(
    'X5 a socket file of the host',
    ({ socketFile }) => connect('socket.AF_UNIX', JSON.stringify(socketFile)),
    connected,
  ),
  attack(
    'X5 an abstract socket of the host',
    ({ abstractSocket }) => connect('socket.AF_UNIX', `"\\0" + ${JSON.stringify(abstractSocket)}`),
    connected,
  ),
  attack(
    'X5 sockets of daemons',
    `for s in /run/docker.sock /var/run/docker.sock /run/dbus/system_bus_socket /run/containerd/containerd.sock /run/systemd/private; do [ -e $s ] && echo ${mark}; done; true`,
  ),
  attack(
    'X10 the loopback of the host',
    ({ port }) => connect('socket.AF_INET', `("127.0.0.1", ${port})`),
    connected,
  ),
  attack(
    'X10 the loopback of the host by IPv6',
    ({ port }) => connect('socket.AF_INET6', `("::1", ${port})`),
    connected,
  ),
  attack(
    'X10 a way out of the machine',
    python(
      `s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ntry:\n    s.sendto(b"x", ("192.0.2.1", 53))\n    print("${mark}")\nexcept OSError: pass`,
    ),
  ),
  attack('X10 raw packets', opens(17, 3)),
  attack('X10 raw IP', opens(2, 3)),
  attack('X10 a virtual machine socket, which no network namespace holds', opens(40, 1)),
  attack('X10 the crypto sockets of the kernel', opens(38, 5)),
  attack('X10 a new interface', `ip link add dummy0 type dummy 2>/dev/null && echo ${mark}`),
]
