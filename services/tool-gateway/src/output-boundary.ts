import { type BlobStore } from '@sciencediscovery/blob-store'
import { derivedId } from '@sciencediscovery/event-store'
import { isPlatformError } from '@sciencediscovery/kernel'
import { type ToolOutputStored } from '@sciencediscovery/run-events'
import { type OfferedTool, type ToolEffect, type ToolResult } from '@sciencediscovery/tool-kit'
import { type OutputLimits, limitsFor } from './domain/output/limits.js'
import { type Measured, countNewlines, fits, measure, preview } from './domain/output/preview.js'

/** A result as the model is shown it, and the whole output when that is kept. */
export interface BoundedResult extends ToolResult {
  /** Empty when nothing was kept. */
  readonly outputRef: string
}

/** What the boundary needs to know of a call. */
export interface BoundaryOptions {
  readonly callKey: string
  readonly callId: string
  readonly tool: Pick<OfferedTool, 'name' | 'output'>
  readonly limits: OutputLimits
  readonly blobs: BlobStore
}

/**
 * The boundary that every result passes before a model sees it (S-20, X-06). A long output is stored
 * whole before anything points at it, so a reference never dangles.
 */
export async function boundResult(
  result: ToolResult,
  options: BoundaryOptions,
): Promise<BoundedResult> {
  const { output } = options.tool
  const limits = limitsFor(options.limits, output.selfBounded)
  // A UTF-16 unit takes one to three bytes, so short texts need no measuring.
  const isShort = result.text.length * 3 <= limits.retentionBytes
  if (isShort && !result.whole) return { ...result, outputRef: '' }
  const measured = measure(result.text)
  const fitting = fits(measured, limits)
  const isKept = !fitting || measured.bytes.length > limits.retentionBytes
  const kept = (await keepWhole(result, options)) ?? (isKept && (await keepText(measured, options)))
  if (!kept) return { ...result, outputRef: '' }
  const { ref } = kept
  const shown = result.whole
    ? `${result.text.trimEnd()}\n[the whole output is kept as ${ref}]`
    : result.text
  return {
    ...result,
    text: fitting ? shown : preview(measured, limits, output.keep, ref),
    details: withToolOutput(result.details, kept),
    effects: [...result.effects, storedEffect(kept, options)],
    outputRef: ref,
  }
}

interface KeptOutput {
  readonly ref: string
  readonly sizeBytes: number
  readonly lines: number
  readonly digest: string
}

async function keepText(
  { bytes, lines }: Measured,
  { callKey, blobs }: BoundaryOptions,
): Promise<KeptOutput> {
  const { digest, sizeBytes } = await blobs.put(bytes)
  return { ref: refOf(callKey, digest), sizeBytes, lines, digest }
}

/** What the text is only a part of; undefined when its owner has it no more. */
async function keepWhole(
  { whole }: ToolResult,
  { callKey, blobs }: BoundaryOptions,
): Promise<KeptOutput | undefined> {
  if (!whole) return undefined
  let lines = 0
  async function* counted(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      lines += countNewlines(piece)
      yield piece
    }
  }
  try {
    const { digest, sizeBytes } = await blobs.putStream(counted(whole()))
    return { ref: refOf(callKey, digest), sizeBytes, lines, digest }
  } catch (error) {
    if (isPlatformError(error) && error.code === 'not_found') return undefined
    throw error
  }
}

/** What the run records of it: whoever names the reference later is found the output by this. */
function storedEffect(kept: KeptOutput, { callKey, callId, tool }: BoundaryOptions): ToolEffect {
  const effectId = derivedId('fx-', callKey, 'tool_output.stored')
  const { ref, digest, sizeBytes, lines } = kept
  const data: ToolOutputStored['data'] = {
    ...{ effectId, callId, ref, digest, sizeBytes, lines },
    tool: tool.name,
  }
  return { effectId, type: 'tool_output.stored', version: 1, dataJson: JSON.stringify(data) }
}

function refOf(callKey: string, digest: string): string {
  return `tool-output-${derivedId('', callKey, digest).slice(0, 16)}`
}

function withToolOutput(details: unknown, toolOutput: KeptOutput): object {
  return typeof details === 'object' && details !== null && !Array.isArray(details)
    ? { ...details, toolOutput }
    : { value: details, toolOutput }
}
