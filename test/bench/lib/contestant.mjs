import { fork } from 'node:child_process'
import { mkdirSync, openSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { clearTimeout, setTimeout } from 'node:timers'
import { peersDirectory } from './places.mjs'

const startTimeoutMs = 60_000
const askTimeoutMs = 300_000

/**
 * Every contestant, ours included, is a process of its own that is idle while another one is measured.
 * Its output goes to a file: some peers write a line per step.
 */
export async function startContestant(
  script,
  { name = basename(script), args = [], ...more } = {},
) {
  const logs = join(peersDirectory, 'logs')
  mkdirSync(logs, { recursive: true })
  const logPath = join(logs, `${name}.log`)
  const log = openSync(logPath, 'w')
  const child = fork(script, args, { stdio: ['ignore', log, log, 'ipc'], ...more })
  const waiting = new Map()
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.on('message', ({ id, result, error }) => {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error) asked?.reject(new Error(`${name}: ${error}`))
    else asked?.resolve(result)
  })
  void gone.then((code) => {
    const tail = readFileSync(logPath, 'utf8').slice(-2000)
    for (const { reject } of waiting.values()) reject(new Error(`${name} ended (${code}): ${tail}`))
  })
  const answered = (id, timeoutMs) =>
    new Promise((resolve, reject) => {
      const late = () => reject(new Error(`${name}: no answer within ${timeoutMs} ms`))
      const timer = setTimeout(late, timeoutMs)
      const settled = (settle) => (value) => {
        clearTimeout(timer)
        settle(value)
      }
      waiting.set(id, { resolve: settled(resolve), reject: settled(reject) })
    })
  const counter = { next: 1 }
  const close = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.disconnect()
    const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
    await gone
    clearTimeout(timer)
  }
  try {
    await answered(0, startTimeoutMs)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  return {
    pid: child.pid,
    ask: (operation, given = {}) => {
      const id = counter.next
      counter.next += 1
      const answer = answered(id, askTimeoutMs)
      child.send({ id, operation, args: given })
      return answer
    },
    close,
  }
}
