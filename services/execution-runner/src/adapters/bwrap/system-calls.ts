/** Numbers of the system calls that the filter names. */
interface Architecture {
  /** AUDIT_ARCH_* of `linux/audit.h`. */
  readonly audit: number
  /** First number of a second call table that must not be a way around the filter; null where there is none. */
  readonly secondTable: number | null
  readonly clone: number
  readonly ioctl: number
  readonly socket: number
  /** Refused whatever their arguments are. */
  readonly refused: readonly number[]
}

/** Numbers that are the same everywhere: io_uring, the new mount calls, pidfd_getfd, quotactl_fd, memfd_secret. */
const sharedNumbers = [425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442, 443, 447, 467]
/** Not implemented, so that the C library falls back to `clone`, whose flags a filter can see. */
export const clone3 = 435

export const architectures: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    secondTable: 0x40000000,
    clone: 56,
    ioctl: 16,
    socket: 41,
    refused: [
      ...sharedNumbers,
      ...[101, 310, 311, 312], // ptrace, process_vm_readv, process_vm_writev, kcmp
      ...[248, 249, 250], // add_key, request_key, keyctl
      ...[321, 323, 298, 300], // bpf, userfaultfd, perf_event_open, fanotify_init
      ...[165, 166, 155, 161], // mount, umount2, pivot_root, chroot
      ...[272, 308], // unshare, setns
      ...[246, 320, 169, 175, 313, 176], // kexec_load, kexec_file_load, reboot, init_, finit_, delete_module
      ...[167, 168, 163, 179, 103], // swapon, swapoff, acct, quotactl, syslog
      ...[164, 159, 227, 305, 170, 171], // settimeofday, adjtimex, clock_settime, clock_adjtime, set*name
      ...[303, 304, 212, 153], // name_to_handle_at, open_by_handle_at, lookup_dcookie, vhangup
      ...[172, 173, 154, 134, 180], // iopl, ioperm, modify_ldt, uselib, nfsservctl
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    secondTable: null,
    clone: 220,
    ioctl: 29,
    socket: 198,
    refused: [
      ...sharedNumbers,
      ...[117, 270, 271, 272], // ptrace, process_vm_readv, process_vm_writev, kcmp
      ...[217, 218, 219], // add_key, request_key, keyctl
      ...[280, 282, 241, 262], // bpf, userfaultfd, perf_event_open, fanotify_init
      ...[40, 39, 41, 51], // mount, umount2, pivot_root, chroot
      ...[97, 268], // unshare, setns
      ...[104, 294, 142, 105, 273, 106], // kexec_load, kexec_file_load, reboot, init_, finit_, delete_module
      ...[224, 225, 89, 60, 116], // swapon, swapoff, acct, quotactl, syslog
      ...[170, 171, 112, 266, 161, 162], // settimeofday, adjtimex, clock_settime, clock_adjtime, set*name
      ...[264, 265, 18, 58], // name_to_handle_at, open_by_handle_at, lookup_dcookie, vhangup
      ...[42], // nfsservctl
    ],
  },
}
