import type { CommandContext, ExitCode } from '../../context.js'
import { usageError } from '../usage-error.js'
import { contentOf } from './provenance-content.js'
import { crateLayout } from './provenance-crate-layout.js'
import { parseGraph, type ProvenanceGraph } from './provenance-graph.js'
import { provJson } from './provenance-prov-json.js'
import { type CrateFile, roCrateMetadata } from './provenance-ro-crate.js'
import { printable } from './printable.js'

/** Other formats than the platform's own. */
export const exportFormats = ['prov-json', 'ro-crate'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** What is exported and where it goes; without a place to standard output. */
export interface ExportOrder {
  readonly name: string
  readonly projectId: string
  readonly detailsJson: string
  readonly format: ExportFormat
  readonly output: string | undefined
}

/** Writes how a file came to be as PROV-JSON, or as an RO-Crate with the files themselves. */
export async function exportProvenance(
  context: CommandContext,
  order: ExportOrder,
): Promise<ExitCode> {
  const graph = parseGraph(order.detailsJson)
  if (order.format === 'ro-crate') return writeCrate(context, order, graph)
  const text = provJson(graph)
  if (order.output === undefined || order.output === '-') {
    await context.output.write(text)
    return 0
  }
  const path = await context.files.save(order.output, 'provenance.json', piecesOf(text))
  context.output.note(`wrote ${printable(path)}`)
  return 0
}

async function writeCrate(
  { stack, output, files, interrupts }: CommandContext,
  { name, projectId, output: directory }: ExportOrder,
  graph: ProvenanceGraph,
): Promise<ExitCode> {
  if (directory === undefined || directory === '-')
    throw usageError('--output', 'is missing: a crate is a directory', 'give -o DIR')
  const signal = interrupts.stop
  const source = {
    clients: await stack.clients(signal),
    projectId,
    signal,
    versions: graph.versions,
  }
  const layout = crateLayout(graph.files)
  const lost: string[] = []
  const path = await files.saveDirectory(directory, async (add) => {
    const written = new Map<string, CrateFile>()
    const sizes = new Map<string, number>()
    for (const file of graph.files) {
      const place = layout.get(file.key) ?? ''
      const known = sizes.get(place)
      const content = known === undefined ? await contentOf(source, file) : undefined
      const sizeBytes = content ? await add(place, content) : known
      if (sizeBytes === undefined) lost.push(file.path)
      else written.set(file.key, { place, sizeBytes })
      if (sizeBytes !== undefined) sizes.set(place, sizeBytes)
    }
    await add('ro-crate-metadata.json', piecesOf(roCrateMetadata(name, graph, written)))
  })
  for (const one of lost)
    output.note(`the content of ${printable(one)} is not kept; its digest is listed`)
  output.note(`wrote ${printable(path)}`)
  return 0
}

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  await Promise.resolve()
  yield Buffer.from(text)
}
