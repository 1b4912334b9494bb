import { constants } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ExecutionOrder } from '../domain/workspace/events.js'

const interpreters: Readonly<Record<string, string>> = {
  py: 'python3',
  r: 'Rscript',
  pl: 'perl',
  js: 'node',
  sh: '/bin/bash',
}

/**
 * Program and arguments. A command is one argument of the shell, whatever is in it, with the line ends
 * that the shell knows (BR-028); a script is run by itself when it may be executed, else by the
 * interpreter of its name.
 */
export async function argumentsOf(
  { command, scriptPath, arguments: scriptArguments }: ExecutionOrder,
  filesDirectory: string,
): Promise<string[]> {
  if (scriptPath === '')
    return ['/bin/bash', '--noprofile', '--norc', '-c', command.replaceAll('\r\n', '\n')]
  const path = `/workspace/${scriptPath}`
  const file = await stat(join(filesDirectory, scriptPath)).catch(() => undefined)
  if (file && (file.mode & constants.S_IXUSR) !== 0) return [path, ...scriptArguments]
  const extension = /\.([A-Za-z]+)$/.exec(scriptPath)?.[1]?.toLowerCase() ?? 'sh'
  return [interpreters[extension] ?? '/bin/bash', path, ...scriptArguments]
}
