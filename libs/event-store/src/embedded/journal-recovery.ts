import { fdatasyncSync, fstatSync, ftruncateSync, readSync } from 'node:fs'
import { PlatformError } from '@sciencediscovery/kernel'
import {
  type Place,
  frameHeaderBytes,
  frameMagic,
  isIntact,
  payloadLengthOf,
  recordsIn,
} from './journal-format.js'

export type RecordVisitor = (kind: number, body: Buffer, place: Place) => void

/** What recovery found: where the next frame goes, and what it had to cut off. */
export interface Recovery {
  readonly endOffset: number
  readonly cutBytes: number
}

/**
 * Reads the whole journal once. An unfinished last write (power loss, kill) was never acknowledged and is
 * cut off; damage before an intact frame is something else and is refused, because it hides acknowledged facts.
 */
export function recoverJournal(fd: number, path: string, visit: RecordVisitor): Recovery {
  const fileBytes = fstatSync(fd).size
  // The visitor keeps nothing of a body, so one buffer serves for all of them.
  const reader = new FrameReader(fd, fileBytes)
  let offset = 0
  for (;;) {
    const frame = reader.frameAt(offset)
    if (!frame) break
    for (const { kind, body, place } of recordsIn(frame.payload, offset + frameHeaderBytes))
      visit(kind, body, place)
    offset += frameHeaderBytes + frame.payload.length
  }
  if (offset === fileBytes) return { endOffset: offset, cutBytes: 0 }
  const next = nextFrame(reader, offset + 1)
  if (next !== undefined) throw damaged(path, offset, next)
  ftruncateSync(fd, offset)
  fdatasyncSync(fd)
  return { endOffset: offset, cutBytes: fileBytes - offset }
}

function damaged(path: string, offset: number, next: number): PlatformError {
  return new PlatformError(
    'bug',
    `journal ${path} is damaged at byte ${offset}, before intact records at byte ${next}`,
    {
      reason: 'journal_damaged',
      remedy: 'restore the file from a backup; or move it away to start with an empty log',
    },
  )
}

const searchBytes = 1024 * 1024

/** The first intact frame at or after an offset. */
function nextFrame(reader: FrameReader, from: number): number | undefined {
  const magic = Buffer.alloc(4)
  magic.writeUInt32BE(frameMagic)
  for (let offset = from; offset < reader.fileBytes; offset += searchBytes) {
    const window = Buffer.from(reader.bytesAt(offset, searchBytes + 3))
    for (let at = window.indexOf(magic); at >= 0; at = window.indexOf(magic, at + 1)) {
      if (reader.frameAt(offset + at)) return offset + at
    }
  }
  return undefined
}

/** Reads frames into a buffer of its own: what it gives is valid until the next read. */
class FrameReader {
  readonly fileBytes: number
  readonly #fd: number
  #buffer = Buffer.allocUnsafeSlow(searchBytes)

  constructor(fd: number, fileBytes: number) {
    this.#fd = fd
    this.fileBytes = fileBytes
  }

  frameAt(offset: number): { readonly payload: Buffer } | undefined {
    const header = Buffer.from(this.bytesAt(offset, frameHeaderBytes))
    const length = payloadLengthOf(header)
    if (length === undefined || offset + frameHeaderBytes + length > this.fileBytes)
      return undefined
    const payload = this.bytesAt(offset + frameHeaderBytes, length)
    return isIntact(header, payload) ? { payload } : undefined
  }

  /** The bytes of a range, as far as the file has them. */
  bytesAt(offset: number, wanted: number): Buffer {
    const length = Math.max(0, Math.min(wanted, this.fileBytes - offset))
    if (length > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(length)
    let done = 0
    while (done < length) {
      const count = readSync(this.#fd, this.#buffer, done, length - done, offset + done)
      if (count === 0) break
      done += count
    }
    return this.#buffer.subarray(0, done)
  }
}
