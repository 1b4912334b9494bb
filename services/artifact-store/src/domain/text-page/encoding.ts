/** How many bytes decide whether content is text (S-02). */
export const probeBytes = 8192

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** The encoding of text by its first bytes; undefined for binary: a NUL, or bytes that are not UTF-8. */
export function encodingOf(head: Uint8Array): Encoding | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  const probe = head.subarray(0, probeBytes)
  if (probe.includes(0)) return undefined
  try {
    // `stream` because the probe may end inside a character.
    new TextDecoder('utf-8', { fatal: true }).decode(probe, { stream: head.length >= probeBytes })
    return 'utf-8'
  } catch {
    return undefined
  }
}
