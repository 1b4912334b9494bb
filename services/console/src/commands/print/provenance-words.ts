import type { Palette } from '../../context.js'
import { printable } from './printable.js'

/** What is known about a file or a call, in brackets. */
export function facts(words: readonly string[], colors: Palette): string {
  const present = words.filter((word) => word !== '').map(printable)
  return colors.dim(`[${present.join(' · ')}]`)
}

/** The beginning of a digest: enough to compare by eye. */
export function shortDigest(sha256: string | null | undefined): string {
  return sha256?.slice(0, 12) ?? ''
}
