import { findJsonProblem, offsetOfExcessNesting } from '@sciencediscovery/tool-kit'
import type { LocalFiles } from '../../context.js'
import { usageError } from '../usage-error.js'

const field = '--model scripted'
const maxBytes = 8 * 1024 * 1024
const maxDepth = 200

/** The content of a script file; a file that cannot be one is refused with its place, before anything starts. */
export async function readScript(files: LocalFiles, path: string): Promise<Buffer> {
  const sizeBytes = await files.sizeOf(path, field)
  if (sizeBytes === undefined)
    throw usageError(field, `${path} does not exist`, 'give a script file')
  if (sizeBytes >= maxBytes) {
    const problem = `${path} has ${sizeBytes} bytes, the limit is ${maxBytes - 1} (8 MiB)`
    throw usageError(field, problem, 'give a shorter script')
  }
  const text = toText(await files.read(path), path)
  checkJson(text, path)
  return Buffer.from(text)
}

function toText(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw usageError(field, `${path} is not UTF-8 text`, 'save the script as UTF-8')
  }
}

function checkJson(text: string, path: string): void {
  const deep = offsetOfExcessNesting(text, maxDepth)
  if (deep !== undefined)
    throw broken(text, path, { offset: deep, problem: `nested deeper than ${maxDepth} levels` })
  const value = parse(text, path)
  if (typeof value === 'object' && value !== null && 'turns' in value && Array.isArray(value.turns))
    return
  throw usageError(field, `${path} has no list of turns`, 'write {"turns": [{"text": "..."}]}')
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw broken(text, path, findJsonProblem(text) ?? { offset: 0, problem: String(error) })
  }
}

interface Problem {
  readonly offset: number
  readonly problem: string
}

function broken(text: string, path: string, { offset, problem }: Problem): Error {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  const column = offset - before.lastIndexOf('\n')
  return usageError(field, `${path}:${line}:${column}: ${problem}`, 'correct the script')
}
