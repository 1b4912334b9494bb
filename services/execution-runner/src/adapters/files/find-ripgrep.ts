import { stat } from 'node:fs/promises'

const places = ['/usr/bin/rg', '/usr/local/bin/rg']

/** Where ripgrep is; undefined when it is not installed. Only what a sandbox sees counts. */
export async function findRipgrep(): Promise<string | undefined> {
  for (const path of places) {
    const file = await stat(path).catch(() => undefined)
    if (file?.isFile()) return path
  }
  return undefined
}
