/** A relation of PROV-JSON and the attributes that must name declared ids. */
const relations: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  used: { 'prov:activity': 'activity', 'prov:entity': 'entity' },
  wasGeneratedBy: { 'prov:entity': 'entity', 'prov:activity': 'activity' },
  wasDerivedFrom: { 'prov:generatedEntity': 'entity', 'prov:usedEntity': 'entity' },
  wasAssociatedWith: { 'prov:activity': 'activity', 'prov:agent': 'agent' },
  wasAttributedTo: { 'prov:entity': 'entity', 'prov:agent': 'agent' },
}
type Kind = 'entity' | 'activity' | 'agent'

/** A PROV-JSON document as far as these tests look at it. */
export type ProvDocument = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>
> & {
  readonly prefix: Readonly<Record<string, string>>
}

/** What is wrong with the document; empty when it keeps to the W3C submission, as far as it is used here. */
export function provProblems(document: ProvDocument): readonly string[] {
  const known = new Set(['prefix', 'entity', 'activity', 'agent', ...Object.keys(relations)])
  const strangers = Object.keys(document).filter((key) => !known.has(key))
  const prefixes = new Set(['prov', 'xsd', ...Object.keys(document.prefix)])
  const named = (['entity', 'activity', 'agent'] as const).flatMap((kind) =>
    Object.keys(document[kind] ?? {}).filter((id) => !isQualified(id, prefixes)),
  )
  const attributes = [...known]
    .filter((key) => key !== 'prefix')
    .flatMap((key) =>
      Object.values(document[key] ?? {}).flatMap((record) =>
        Object.keys(record).filter((name) => !isQualified(name, prefixes)),
      ),
    )
  return [
    ...strangers.map((key) => `${key} is no part of PROV-JSON`),
    ...named.map((id) => `${id} is no qualified name of a declared prefix`),
    ...attributes.map((name) => `attribute ${name} is no qualified name`),
    ...Object.entries(relations).flatMap(([relation, ends]) =>
      danglingOf(document, relation, ends),
    ),
  ]
}

function danglingOf(
  document: ProvDocument,
  relation: string,
  ends: Readonly<Record<string, Kind>>,
): readonly string[] {
  return Object.entries(document[relation] ?? {}).flatMap(([id, record]) => [
    ...Object.entries(ends).flatMap(([attribute, kind]) => {
      const name = String(record[attribute])
      return document[kind]?.[name]
        ? []
        : [`${relation} ${id}: ${attribute} ${name} is not declared`]
    }),
    ...(/^(runs|workspaces|artifacts)\/.+#\d+$/.test(String(record['sd:event']))
      ? []
      : [`${relation} ${id} cites no event`]),
  ])
}

function isQualified(name: string, prefixes: ReadonlySet<string>): boolean {
  const [, prefix] = /^([A-Za-z][\w-]*):[\w.-]+$/.exec(name) ?? []
  return prefix !== undefined && prefixes.has(prefix)
}
