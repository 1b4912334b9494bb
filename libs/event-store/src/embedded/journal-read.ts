import { read } from 'node:fs'
import { crc32 } from 'node:zlib'
import { PlatformError } from '@sciencediscovery/kernel'
import { type Place } from './journal-format.js'

const maxGapBytes = 64 * 1024
const maxSpanBytes = 4 * 1024 * 1024

/** The bodies at the places; neighbours in the file are fetched with one read. */
export async function readPlaces(
  fd: number,
  path: string,
  places: readonly Place[],
): Promise<readonly Buffer[]> {
  const bodies: Buffer[] = []
  for (const span of spansOf(places)) {
    const first = span[0]?.offset ?? 0
    const end = span.reduce((most, place) => Math.max(most, place.offset + place.sizeBytes), first)
    const bytes = await readAt(fd, first, end - first)
    for (const place of span) {
      const body = bytes.subarray(place.offset - first, place.offset - first + place.sizeBytes)
      if (body.length !== place.sizeBytes || crc32(body) !== place.checksum)
        throw damaged(path, place)
      bodies.push(body)
    }
  }
  return bodies
}

function damaged(path: string, place: Place): PlatformError {
  return new PlatformError('bug', `journal ${path} is damaged at byte ${place.offset}`, {
    reason: 'journal_damaged',
    remedy: 'restore the file from a backup',
  })
}

function spansOf(places: readonly Place[]): Place[][] {
  const spans: Place[][] = []
  let first = 0
  let end = -1
  for (const place of places) {
    const gap = place.offset - end
    const span = spans.at(-1)
    if (
      span &&
      gap >= 0 &&
      gap <= maxGapBytes &&
      place.offset + place.sizeBytes - first <= maxSpanBytes
    ) {
      span.push(place)
    } else {
      spans.push([place])
      first = place.offset
    }
    end = place.offset + place.sizeBytes
  }
  return spans
}

function readAt(fd: number, offset: number, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.allocUnsafe(length)
    const from = (done: number): void => {
      read(fd, bytes, done, length - done, offset + done, (error, count) => {
        if (error) reject(error)
        else if (count === 0 || done + count === length) resolve(bytes.subarray(0, done + count))
        else from(done + count)
      })
    }
    from(0)
  })
}
