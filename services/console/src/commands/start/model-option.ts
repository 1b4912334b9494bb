import type { LocalFiles } from '../../context.js'
import { usageError } from '../usage-error.js'
import { readScript } from './script-file.js'

/** The model of a run: one by name, the content of a script, or what the session says. */
export interface ModelChoice {
  readonly model: string
  readonly script: Buffer
}

/** Reads `--model scripted:FILE|openai:NAME|anthropic:NAME`. */
export async function readModel(
  files: LocalFiles,
  option: string | undefined,
): Promise<ModelChoice> {
  if (option === undefined) return { model: '', script: Buffer.alloc(0) }
  const [, provider, name] = /^(scripted|openai|anthropic):(.+)$/s.exec(option) ?? []
  if (provider === undefined || name === undefined) {
    const problem = `${JSON.stringify(option)} names no model`
    throw usageError('--model', problem, 'give scripted:FILE, openai:NAME or anthropic:NAME')
  }
  return provider === 'scripted'
    ? { model: '', script: await readScript(files, name) }
    : { model: option, script: Buffer.alloc(0) }
}
