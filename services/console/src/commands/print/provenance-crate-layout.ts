import type { GraphFile } from './provenance-graph.js'

/** Where each content lies in the crate, by its key; `/` between the parts. */
export type CrateLayout = ReadonlyMap<string, string>

/**
 * The first content of a path lies below `data/` under its own path, every other one below `revisions/<digest>/`:
 * so does a file whose path goes through another file, and one whose path is none on this machine.
 */
export function crateLayout(files: readonly GraphFile[]): CrateLayout {
  const layout = new Map<string, string>()
  const taken = new Map<string, 'file' | 'directory'>()
  const places = new Map<string, string>()
  for (const file of files) {
    const same = `${file.sha256}\n${file.path}`
    const place = places.get(same) ?? placeOf(file, taken)
    places.set(same, place)
    layout.set(file.key, place)
  }
  return layout
}

function placeOf({ path, sha256 }: GraphFile, taken: Map<string, 'file' | 'directory'>): string {
  const own = `data/${path}`
  if (isPlain(path) && take(own, taken)) return own
  const apart = `revisions/${sha256.slice(0, 16)}/${path}`
  if (isPlain(path) && take(apart, taken)) return apart
  const plain = `contents/${sha256}`
  take(plain, taken)
  return plain
}

/** A path of a workspace as it should be: it stays below where it is put. */
function isPlain(path: string): boolean {
  if (path.includes('\0') || path.includes('\\')) return false
  return path.split('/').every((part) => !['', '.', '..'].includes(part))
}

function take(place: string, taken: Map<string, 'file' | 'directory'>): boolean {
  const parts = place.split('/')
  const above = parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join('/'))
  if (taken.has(place) || above.some((directory) => taken.get(directory) === 'file')) return false
  for (const directory of above) taken.set(directory, 'directory')
  taken.set(place, 'file')
  return true
}
