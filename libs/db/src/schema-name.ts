import { invalid } from '@sciencediscovery/kernel'

/** The search path of a service: its own schema, then the shared one that holds extensions. */
export function searchPathOf(schema: string): string {
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(schema)) {
    throw invalid(
      'schema',
      `"${schema}" is not a schema name`,
      'use lower-case letters, digits and _, at most 63',
    )
  }
  return `"${schema}", public`
}
