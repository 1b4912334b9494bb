import type { Readable, Writable } from 'node:stream'
import { isCancel, select } from '@clack/prompts'
import type { Decision, Terminal } from '../context.js'

const options: { value: Decision; label: string }[] = [
  { value: 'once', label: 'Allow this call' },
  { value: 'matching', label: 'Allow this and every like call of the session' },
  { value: 'deny', label: 'Do not allow it' },
]

/** Questions on a terminal; on standard error, so that results stay clean. */
export function createClackTerminal(input: Readable, output: Writable): Terminal {
  return {
    async decide(question, signal) {
      if (signal.aborted) return 'withdrawn'
      const message = `Permission needed: ${question}`
      const answer = await select<Decision>({ message, options, input, output, signal })
      if (!isCancel(answer)) return answer
      return wasAborted(signal) ? 'withdrawn' : 'interrupted'
    },
  }
}

function wasAborted(signal: AbortSignal): boolean {
  return signal.aborted
}
