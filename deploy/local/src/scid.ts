import { lockDirectory } from '@sciencediscovery/event-store'
import { runScid } from '@sciencediscovery/console'
import { isPlatformError } from '@sciencediscovery/kernel'
import { environment } from './config.js'

/** Whether a living process has the directory: the kernel's lock says so, no file can lie. */
function isHeld(dataDir: string): boolean {
  try {
    lockDirectory(dataDir)[Symbol.dispose]()
    return false
  } catch (error) {
    if (isPlatformError(error) && error.details.reason === 'directory_locked') return true
    throw error
  }
}

process.exitCode = await runScid(process.argv.slice(2), {
  // Most commands find a living stack: the services are loaded only when one must be started.
  startLocal: async (options) => (await import('./start-stack.js')).startStack(options),
  isHeld,
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: environment,
  signals: process,
})
