import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'

/**
 * A file of NUL-separated words that is written anew for each start. It is overwritten in place: a file that
 * is emptied and filled again is flushed by the file system when it is closed, which costs a start a wait.
 */
export class WordListFile implements Disposable {
  readonly #file: number
  #written: string | undefined

  constructor(path: string) {
    this.#file = openSync(path, 'w+', 0o644)
  }

  write(words: readonly string[]): void {
    const text = words.map((word) => `${word}\0`).join('')
    if (text === this.#written) return
    this.#written = undefined
    const bytes = Buffer.from(text)
    let at = 0
    while (at < bytes.length) at += writeSync(this.#file, bytes, at, bytes.length - at, at)
    ftruncateSync(this.#file, bytes.length)
    this.#written = text
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}
