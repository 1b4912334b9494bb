import { readFileSync, readdirSync } from 'node:fs'

const statusOf = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

/** Resident memory of a process and everything it started, in MiB. */
export function residentMiB(rootPid) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const known = pids.map((pid) => {
    const status = statusOf(pid)
    const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0)
    const kiB = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0)
    return { pid: Number(pid), parent, kiB }
  })
  const family = new Set([rootPid])
  for (let before = 0; before < family.size;) {
    before = family.size
    for (const { pid, parent } of known) if (family.has(parent)) family.add(pid)
  }
  const total = known.filter(({ pid }) => family.has(pid)).reduce((sum, { kiB }) => sum + kiB, 0)
  return total / 1024
}
