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
  let offset = 0
  for (;;) {
    const frame = readFrame(fd, offset, fileBytes)
    if (!frame) break
    for (const { kind, body, place } of recordsIn(frame.payload, offset + frameHeaderBytes))
      visit(kind, body, place)
    offset += frameHeaderBytes + frame.payload.length
  }
  if (offset === fileBytes) return { endOffset: offset, cutBytes: 0 }
  const next = nextFrame(fd, offset + 1, fileBytes)
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

function readFrame(fd: number, offset: number, fileBytes: number): { payload: Buffer } | undefined {
  const header = readAt(fd, offset, Math.min(frameHeaderBytes, fileBytes - offset))
  const length = payloadLengthOf(header)
  if (length === undefined || offset + frameHeaderBytes + length > fileBytes) return undefined
  const payload = readAt(fd, offset + frameHeaderBytes, length)
  return isIntact(header, payload) ? { payload } : undefined
}

const searchBytes = 1024 * 1024

function nextFrame(fd: number, from: number, fileBytes: number): number | undefined {
  const magic = Buffer.alloc(4)
  magic.writeUInt32BE(frameMagic)
  for (let offset = from; offset < fileBytes; offset += searchBytes) {
    const window = readAt(fd, offset, Math.min(searchBytes + 3, fileBytes - offset))
    for (let at = window.indexOf(magic); at >= 0; at = window.indexOf(magic, at + 1)) {
      if (readFrame(fd, offset + at, fileBytes)) return offset + at
    }
  }
  return undefined
}

function readAt(fd: number, offset: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length)
  let done = 0
  while (done < length) {
    const count = readSync(fd, buffer, done, length - done, offset + done)
    if (count === 0) break
    done += count
  }
  return buffer.subarray(0, done)
}
