import { type ByteWindow } from './byte-window.js'
import { incompleteEnd, incompleteStart } from './characters.js'
import { cleanText } from './clean-text.js'

/** What a reader is shown of a stream. */
export interface Preview {
  readonly text: string
  /** True when it does not show everything. */
  readonly truncated: boolean
}

/** Beginning and end, cleaned, at most `maxBytes` of UTF-8. */
export function previewOf(window: ByteWindow, maxBytes: number): Preview {
  const { head, tail, missingBytes } = window.parts()
  if (missingBytes === 0) {
    const text = cleanText(Buffer.concat([head, tail]).toString('utf8'))
    if (Buffer.byteLength(text) <= maxBytes) return { text, truncated: false }
    return { text: shortened(text, text, maxBytes, 0), truncated: true }
  }
  const first = cleanText(withoutSplitEnd(head).toString('utf8'))
  const last = cleanText(withoutSplitStart(tail).toString('utf8'))
  return { text: shortened(first, last, maxBytes, missingBytes), truncated: true }
}

function shortened(first: string, last: string, maxBytes: number, missingBytes: number): string {
  const half = Math.floor((maxBytes - 80) / 2)
  const note = missingBytes > 0 ? `about ${missingBytes} bytes` : 'a part'
  return `${headOf(first, half)}\n[… ${note} not shown …]\n${tailOf(last, half)}`
}

function headOf(text: string, maxBytes: number): string {
  return withoutSplitEnd(Buffer.from(text).subarray(0, maxBytes)).toString('utf8')
}

function tailOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  return withoutSplitStart(bytes.subarray(Math.max(0, bytes.length - maxBytes))).toString('utf8')
}

/** Drops the beginning of a character whose end is not there. */
function withoutSplitEnd(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length - incompleteEnd(bytes))
}

/** Drops the end of a character whose beginning is not there. */
function withoutSplitStart(bytes: Buffer): Buffer {
  return bytes.subarray(incompleteStart(bytes))
}
