import { z } from 'zod'

/** A path as models send it; its owner decides whether it stays inside the workspace. */
export const PathSchema = z
  .string()
  .min(1)
  .max(2000)
  .refine((path) => !path.includes('\0'), 'holds a NUL character; send a path without it')

/** The path as its owner stores it: without `./`, doubled slashes and the workspace alias (I-20). Never resolves `..`. */
export function normalisePath(path: string): string {
  const relative = path.replace(/^\/workspace\/+/, '')
  const kept = relative.split('/').filter((part, at) => part !== '.' && (part !== '' || at === 0))
  return kept.join('/')
}
