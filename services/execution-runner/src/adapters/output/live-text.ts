import { StringDecoder } from 'node:string_decoder'

/** What was written since the last piece, for whoever watches. */
export type PublishPiece = (stream: 'stdout' | 'stderr', text: string) => void

const intervalMs = 100
/** A flood is shown by its end: live pieces are hints, the log has everything. */
const maxPieceCharacters = 8 * 1024

/** Pieces of output as text: whole characters, at most ten pieces a second. */
export class LiveText implements Disposable {
  readonly #publish: PublishPiece
  readonly #streams = {
    stdout: { decoder: new StringDecoder('utf8'), text: '' },
    stderr: { decoder: new StringDecoder('utf8'), text: '' },
  }
  #timer: NodeJS.Timeout | undefined

  constructor(publish: PublishPiece) {
    this.#publish = publish
  }

  add(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    const one = this.#streams[stream]
    const text = one.text + one.decoder.write(chunk)
    one.text = text.length > maxPieceCharacters ? wholeTail(text) : text
    this.#timer ??= setTimeout(() => {
      this.#flush()
    }, intervalMs)
  }

  [Symbol.dispose](): void {
    for (const one of Object.values(this.#streams)) one.text += one.decoder.end()
    this.#flush()
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const stream of ['stdout', 'stderr'] as const) {
      const one = this.#streams[stream]
      if (one.text !== '') this.#publish(stream, one.text)
      one.text = ''
    }
  }
}

/** The end of a text, not starting inside a surrogate pair. */
function wholeTail(text: string): string {
  const tail = text.slice(-maxPieceCharacters)
  return /^[\uDC00-\uDFFF]/.test(tail) ? tail.slice(1) : tail
}
