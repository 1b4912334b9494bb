/** Cuts or joins the chunks into parts of exactly the size, except the last one. */
export async function* partsOf(
  content: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of content) {
    let rest = chunk
    while (sizeBytes + rest.byteLength >= partBytes) {
      const taken = rest.subarray(0, partBytes - sizeBytes)
      yield Buffer.concat([...chunks, taken])
      rest = rest.subarray(taken.byteLength)
      chunks = []
      sizeBytes = 0
    }
    // Kept past the next read of the source, which may use its buffer again.
    if (rest.byteLength > 0) chunks.push(Uint8Array.from(rest))
    sizeBytes += rest.byteLength
  }
  if (sizeBytes > 0) yield Buffer.concat(chunks)
}
