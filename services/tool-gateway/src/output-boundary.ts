import { type BlobStore } from '@sciencediscovery/blob-store'
import { derivedId } from '@sciencediscovery/event-store'
import { type ToolResult, type ToolTraits } from '@sciencediscovery/tool-kit'
import { type OutputLimits, limitsFor } from './domain/output/limits.js'
import { fits, measure, preview } from './domain/output/preview.js'

/** A result as the model is shown it, and the whole output when that is kept. */
export interface BoundedResult extends ToolResult {
  /** Empty when nothing was kept. */
  readonly outputRef: string
}

/** What the boundary needs to know of a call. */
export interface BoundaryOptions {
  readonly callKey: string
  readonly output: ToolTraits['output']
  readonly limits: OutputLimits
  readonly blobs: BlobStore
}

/**
 * The boundary that every result passes before a model sees it (S-20, X-06). A long output is stored
 * whole before anything points at it, so a reference never dangles.
 */
export async function boundResult(
  result: ToolResult,
  { callKey, output, limits: base, blobs }: BoundaryOptions,
): Promise<BoundedResult> {
  const limits = limitsFor(base, output.selfBounded)
  // A UTF-16 unit takes one to three bytes, so short texts need no measuring.
  if (result.text.length * 3 <= limits.retentionBytes) return { ...result, outputRef: '' }
  const measured = measure(result.text)
  const whole = fits(measured, limits)
  if (whole && measured.bytes.length <= limits.retentionBytes) return { ...result, outputRef: '' }
  const { digest, sizeBytes } = await blobs.put(measured.bytes)
  const ref = derivedId('tool-output-', callKey, digest).slice(0, 'tool-output-'.length + 16)
  const toolOutput = { ref, sizeBytes, lines: measured.lines, digest }
  return {
    ...result,
    text: whole ? result.text : preview(measured, limits, output.keep, ref),
    details: withToolOutput(result.details, toolOutput),
    outputRef: ref,
  }
}

function withToolOutput(details: unknown, toolOutput: object): object {
  return typeof details === 'object' && details !== null && !Array.isArray(details)
    ? { ...details, toolOutput }
    : { value: details, toolOutput }
}
