import { isPlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'
import { parseFilePath, parseWorkspacePath } from '../domain/path/workspace-path.js'

/** A directory or file as callers spell it, in its workspace-relative form. */
export const placeField = pathField(parseWorkspacePath)
/** The same for a file: the root is none. */
export const fileField = pathField(parseFilePath)

function pathField(
  parse: (field: string, text: string) => string,
): z.ZodPipe<z.ZodString, z.ZodTransform<string, string>> {
  return z.string().transform((text, context) => {
    try {
      return parse('path', text)
    } catch (error) {
      if (!isPlatformError(error)) throw error
      context.issues.push({
        code: 'custom',
        input: text,
        message: error.message.replace(/^path: /, ''),
      })
      return z.NEVER
    }
  })
}
