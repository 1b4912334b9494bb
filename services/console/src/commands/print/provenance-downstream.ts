import { PlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'
import type { Palette } from '../../context.js'
import { printable, shortened } from './printable.js'
import { facts, shortDigest } from './provenance-words.js'

const StepSchema = z.looseObject({
  hop: z.number(),
  callId: z.string(),
  kind: z.string(),
  name: z.string().default(''),
  event: z.object({ stream: z.string(), position: z.number() }),
  execution: z.looseObject({ command: z.string() }).optional(),
  inputs: z.array(z.looseObject({ path: z.string(), evidence: z.string() })).default([]),
  outputs: z.array(z.looseObject({ path: z.string(), sha256: z.string() })).default([]),
  outputsOmitted: z.number().default(0),
})

const PageSchema = z.looseObject({
  path: z.string(),
  sha256: z.string(),
  downstream: z.array(StepSchema),
  files: z.array(z.looseObject({ revisionId: z.string() })).default([]),
  artifactVersions: z
    .array(z.looseObject({ versionId: z.string(), name: z.string(), version: z.number() }))
    .default([]),
  possible: z.array(z.looseObject({ callId: z.string() })).default([]),
  possibleOmitted: z.number().default(0),
  truncated: z.boolean().default(false),
})
/** What used a content, as the provenance service tells it; what is not shown passes through. */
export type DownstreamRecord = z.infer<typeof PageSchema>

/** A page in the service's JSON. */
export function parseDownstream(detailsJson: string): DownstreamRecord {
  try {
    return PageSchema.parse(JSON.parse(detailsJson))
  } catch (cause) {
    throw new PlatformError('bug', 'the record of uses cannot be read', {
      remedy: 'use a scid of the same release as the stack',
      cause,
    })
  }
}

/** One record of all pages: what two of them tell is told once. */
export function joinDownstream(pages: readonly DownstreamRecord[]): DownstreamRecord | undefined {
  const [first] = pages
  if (!first) return undefined
  const once = <Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] => [
    ...new Map(rows.map((row) => [keyOf(row), row])).values(),
  ]
  return {
    ...first,
    downstream: once(
      pages.flatMap(({ downstream }) => downstream),
      ({ event, outputs }) => `${event.stream}#${event.position} ${outputs[0]?.path ?? ''}`,
    ),
    files: once(
      pages.flatMap(({ files }) => files),
      ({ revisionId }) => revisionId,
    ),
    artifactVersions: once(
      pages.flatMap(({ artifactVersions }) => artifactVersions),
      ({ versionId }) => versionId,
    ),
    possible: pages.flatMap(({ possible }) => possible),
    truncated: pages.some(({ truncated }) => truncated),
  }
}

/** "What came of this": the calls that used it, nearest first, what they made, and what was declared of that. */
export function downstreamText(record: DownstreamRecord, colors: Palette): string {
  const { path, sha256, downstream, artifactVersions, possible, possibleOmitted } = record
  const title = `${colors.bold(printable(path))} ${facts([shortDigest(sha256)], colors)}\n`
  const versions = artifactVersions.map(
    ({ name, version }) => `  ${printable(name)} version ${version}\n`,
  )
  const maybe = possible.length + possibleOmitted
  return [
    title,
    ...(downstream.length === 0 ? ['nothing is known to have used it\n'] : []),
    ...downstream.map((step) => stepText(step, colors)),
    ...(versions.length > 0
      ? ['artifact versions that hold it or came of it:\n', ...versions]
      : []),
    ...(maybe > 0 ? [colors.dim(`${maybe} more executions could have read it\n`)] : []),
    ...(record.truncated ? [colors.yellow('there is more; it is cut here\n')] : []),
  ].join('')
}

function stepText(
  {
    hop,
    callId,
    kind,
    name,
    event,
    execution,
    inputs,
    outputs,
    outputsOmitted,
  }: DownstreamRecord['downstream'][number],
  colors: Palette,
): string {
  const what = [execution?.command ?? '', name, kind].find((text) => text !== '') ?? ''
  const words = [`call ${callId}`, `${event.stream}#${event.position}`]
  const used = [...new Set(inputs.map((input) => `${input.path} (${input.evidence})`))].join(', ')
  const indent = '  '.repeat(hop)
  const made = outputs.map(
    (output) =>
      `${indent}  → ${printable(output.path)} ${facts([shortDigest(output.sha256)], colors)}\n`,
  )
  const more = outputsOmitted > 0 ? [`${indent}  → ${outputsOmitted} more\n`] : []
  const line = `${indent}${colors.cyan(printable(shortened(what, 100)))} used ${printable(used)} ${facts(words, colors)}\n`
  return [line, ...made, ...more].join('')
}
