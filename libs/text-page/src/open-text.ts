import { type TextEncoding, encodingOf, sniffBytes } from './encoding.js'

/** Content that was looked at: what it is, and its text, to be read once. */
export interface OpenedText {
  /** The first bytes, at most a sample. */
  readonly head: Uint8Array
  /** Undefined for a binary. */
  readonly encoding: TextEncoding | undefined
  /** The text in UTF-8, without its byte order mark. */
  readonly utf8: AsyncIterable<Uint8Array>
  /** Ends the reading; needed where `utf8` is not read. */
  readonly close: () => Promise<void>
}

/** Looks at content that comes in pieces of any size; nothing but a sample is held. */
export async function openText(content: AsyncIterable<Uint8Array>): Promise<OpenedText> {
  const pieces = content[Symbol.asyncIterator]()
  const close = async (): Promise<void> => {
    await pieces.return?.()
  }
  const first: Uint8Array[] = []
  let bytes = 0
  while (bytes < sniffBytes) {
    const piece = await pieces.next()
    if (piece.done === true) break
    first.push(piece.value)
    bytes += piece.value.length
  }
  const start = joined(first)
  const encoding = encodingOf(start)
  const rest = { [Symbol.asyncIterator]: () => pieces }
  const text = encoding ? start.subarray(encoding.bomBytes) : start
  return {
    head: start.subarray(0, sniffBytes),
    encoding,
    utf8: toUtf8(chained(text, rest), encoding),
    close,
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  return pieces.length === 1 && only ? only : Buffer.concat(pieces)
}

async function* chained(
  start: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (start.length > 0) yield start
  yield* rest
}

async function* toUtf8(
  content: AsyncIterable<Uint8Array>,
  encoding: TextEncoding | undefined,
): AsyncGenerator<Uint8Array> {
  if (!encoding || encoding.name === 'utf-8') {
    yield* content
    return
  }
  const decoder = new TextDecoder(encoding.name, { ignoreBOM: true })
  for await (const piece of content) yield Buffer.from(decoder.decode(piece, { stream: true }))
  yield Buffer.from(decoder.decode())
}
