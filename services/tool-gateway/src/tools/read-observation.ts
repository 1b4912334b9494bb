import { type ToolOutputPage } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { type ToolOutputRead } from '@sciencediscovery/run-events'
import { type ToolEffect } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type ReadAdvice, type ToolCall } from '../tool-call.js'
import { effectKeyOf } from './place.js'
import { sizeText } from './words.js'

/** How much of one output a run has read so far, this page included (S-19). */
export const ObservationSchema = z.strictObject({
  pagesRead: z.int(),
  cumulativeBytes: z.int(),
  /** The same part was read in this run before. */
  duplicatePage: z.boolean(),
  /** What to do better; never a block. */
  advisory: z.string().optional(),
})
export type Observation = z.input<typeof ObservationSchema>

/** A part that is being read. */
interface ReadPart {
  readonly pageKey: string
  readonly bytes: number
}

/** The counters with this part, from what the run recorded of earlier ones. */
export function observe(
  { pageKey, bytes }: ReadPart,
  earlier: readonly ToolOutputPage[],
  advice: ReadAdvice,
): Observation {
  const cumulativeBytes = earlier.reduce((sum, page) => sum + Number(page.bytes), bytes)
  const duplicatePage = earlier.some((page) => page.pageKey === pageKey)
  const counters = { pagesRead: earlier.length + 1, cumulativeBytes, duplicatePage }
  const advisory = advisoryOf(counters, advice)
  return advisory === undefined ? counters : { ...counters, advisory }
}

function advisoryOf(
  { cumulativeBytes, duplicatePage }: Observation,
  { advisoryBytes, strongAdvisoryBytes }: ReadAdvice,
): string | undefined {
  const read = `${sizeText(cumulativeBytes)} of this output were read in this run`
  if (cumulativeBytes > strongAdvisoryBytes) {
    return `${read}: stop reading it page by page; search it with query, or work on the data with a program`
  }
  if (duplicatePage) return 'this part was read before in this run; its text is the same'
  return cumulativeBytes > advisoryBytes ? `${read}: a search with query needs less` : undefined
}

/** What the run records of a read: the next one's counters are made of it. */
export function readEffect(call: ToolCall, part: ReadPart & { readonly ref: string }): ToolEffect {
  const effectId = effectKeyOf(call, 'tool_output.read')
  const data: ToolOutputRead['data'] = { effectId, callId: call.place.callId, ...part }
  return { effectId, type: 'tool_output.read', version: 1, dataJson: JSON.stringify(data) }
}
