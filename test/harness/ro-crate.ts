import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** An entity of a crate. */
export type CrateEntity = Readonly<Record<string, unknown>> & {
  readonly '@id': string
  readonly '@type': string
}

/** The entities of the crate in a directory. */
export async function crateEntities(directory: string): Promise<readonly CrateEntity[]> {
  const text = await readFile(join(directory, 'ro-crate-metadata.json'), 'utf8')
  const document = JSON.parse(text) as { '@context': unknown; '@graph': CrateEntity[] }
  return document['@graph']
}

/** What is wrong with the crate; empty when it is an RO-Crate 1.1 whose files are those it lists. */
export async function crateProblems(directory: string): Promise<readonly string[]> {
  const entities = await crateEntities(directory)
  const byId = new Map(entities.map((entity) => [entity['@id'], entity]))
  const descriptor = byId.get('ro-crate-metadata.json')
  const root = byId.get('./')
  return [
    ...(byId.size === entities.length ? [] : ['an @id is given twice']),
    ...(idOf(descriptor?.conformsTo) === 'https://w3id.org/ro/crate/1.1' ? [] : ['conformsTo']),
    ...(idOf(descriptor?.about) === './' ? [] : ['the descriptor is not about the root']),
    ...['name', 'description', 'datePublished', 'license'].filter((key) => !root?.[key]),
    ...(root?.['@type'] === 'Dataset' ? [] : ['the root is no Dataset']),
    ...entities.flatMap(({ '@id': id, ...rest }) =>
      referencesIn(rest)
        .filter((to) => !byId.has(to) && to !== 'https://w3id.org/ro/crate/1.1')
        .map((to) => `${id} refers to ${to}, which is not there`),
    ),
    ...(await fileProblems(directory, entities, partsOf(root))),
  ]
}

async function fileProblems(
  directory: string,
  entities: readonly CrateEntity[],
  parts: readonly string[],
): Promise<readonly string[]> {
  const files = entities.filter((entity) => entity['@type'] === 'File')
  const problems: string[] = []
  for (const file of files) {
    const path = join(directory, decodeURIComponent(file['@id']))
    const content = await readFile(path).catch(() => undefined)
    if (!content) problems.push(`${file['@id']} is not there`)
    else if (createHash('sha256').update(content).digest('hex') !== file.sha256)
      problems.push(`${file['@id']} has another content`)
    else if (String(content.length) !== file.contentSize)
      problems.push(`${file['@id']}: contentSize`)
    if (!parts.includes(file['@id'])) problems.push(`${file['@id']} is no part of the root`)
    if (typeof file.encodingFormat !== 'string') problems.push(`${file['@id']}: encodingFormat`)
  }
  const listed = new Set(files.map((file) => decodeURIComponent(file['@id'])))
  const found = await filesBelow(directory)
  const others = found.filter((path) => !listed.has(path) && path !== 'ro-crate-metadata.json')
  return [...problems, ...others.map((path) => `${path} is not listed`)]
}

async function filesBelow(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory, { recursive: true })
  const found: string[] = []
  for (const name of names) {
    const path = join(directory, name)
    if ((await stat(path)).isFile()) found.push(relative(directory, path))
  }
  return found
}

function partsOf(root: CrateEntity | undefined): readonly string[] {
  return Array.isArray(root?.hasPart) ? root.hasPart.map((part: unknown) => idOf(part)) : []
}

function idOf(value: unknown): string {
  return typeof value === 'object' && value !== null && '@id' in value ? String(value['@id']) : ''
}

function referencesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => referencesIn(item))
  if (typeof value !== 'object' || value === null) return []
  if ('@id' in value && Object.keys(value).length === 1) return [String(value['@id'])]
  return Object.values(value).flatMap((item: unknown) => referencesIn(item))
}
