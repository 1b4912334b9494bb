import { sizeWords } from '../../size-words.js'
import { type SandboxLimits } from './profile.js'

/** A limit that an execution ran into, with its value and what helps; empty for other reasons. */
export function limitWords(reason: string, limits: SandboxLimits): string {
  switch (reason) {
    case 'memory_limit':
      return `it needed more than the memory limit of ${sizeWords(limits.memoryBytes)}; work on less at a time`
    case 'process_limit':
      return `it needed more than the process limit of ${limits.processes}; start fewer at once`
    case 'cpu_limit':
      return `a process used up the CPU limit of ${limits.cpuSeconds ?? 0} s; split the work`
    case 'file_size_limit':
      return `a file reached the file size limit of ${sizeWords(limits.fileBytes ?? 0)}; write smaller files`
    default:
      return ''
  }
}
