import { crc32 } from 'node:zlib'

/** What a journal record holds; the numbers are on disk and never change. */
export const recordKinds = {
  header: 1,
  commit: 2,
  group: 3,
  ack: 4,
  attempt: 5,
  offer: 6,
  done: 7,
  taken: 8,
} as const

export type RecordKind = (typeof recordKinds)[keyof typeof recordKinds]

export interface JournalRecord {
  readonly kind: RecordKind
  readonly body: Buffer
}

/** Where the body of a record is in the file. */
export interface Place {
  readonly offset: number
  readonly sizeBytes: number
  readonly checksum: number
}

/*
 * A file is a row of frames, one per write; a frame holds the records that were committed together:
 *   frame  = magic u32 · payload length u32 · payload crc32 u32 · payload
 *   record = body length u32 · body crc32 u32 · kind u8 · body
 * The frame checksum makes a torn write recognisable as a whole, whatever order its pages reached the disk in.
 */
export const frameMagic = 0x53444a31
export const frameHeaderBytes = 12
export const recordHeaderBytes = 9
/** No frame is larger: a length beyond it is damage, not data. */
export const maxFrameBytes = 16 * 1024 * 1024

/** One frame of the records, to be written at `offset`, and where each body will be. */
export function encodeFrame(
  records: readonly JournalRecord[],
  offset: number,
): { readonly frame: Buffer; readonly places: readonly Place[] } {
  const payloadBytes = records.reduce(
    (sum, record) => sum + recordHeaderBytes + record.body.length,
    0,
  )
  const frame = Buffer.allocUnsafe(frameHeaderBytes + payloadBytes)
  const places: Place[] = []
  let at = frameHeaderBytes
  for (const { kind, body } of records) {
    const checksum = crc32(body)
    frame.writeUInt32BE(body.length, at)
    frame.writeUInt32BE(checksum, at + 4)
    frame.writeUInt8(kind, at + 8)
    body.copy(frame, at + recordHeaderBytes)
    places.push({ offset: offset + at + recordHeaderBytes, sizeBytes: body.length, checksum })
    at += recordHeaderBytes + body.length
  }
  frame.writeUInt32BE(frameMagic, 0)
  frame.writeUInt32BE(payloadBytes, 4)
  frame.writeUInt32BE(crc32(frame.subarray(frameHeaderBytes)), 8)
  return { frame, places }
}

/** The payload length that a frame header states, or undefined when it is no frame header. */
export function payloadLengthOf(header: Buffer): number | undefined {
  if (header.length < frameHeaderBytes || header.readUInt32BE(0) !== frameMagic) return undefined
  const length = header.readUInt32BE(4)
  return length <= maxFrameBytes ? length : undefined
}

/** Whether the payload is the one the header was written for. */
export function isIntact(header: Buffer, payload: Buffer): boolean {
  return crc32(payload) === header.readUInt32BE(8)
}

/** The records of an intact payload that starts at `offset` in the file. */
export function* recordsIn(
  payload: Buffer,
  offset: number,
): Generator<{ kind: number; body: Buffer; place: Place }> {
  for (let at = 0; at + recordHeaderBytes <= payload.length;) {
    const sizeBytes = payload.readUInt32BE(at)
    const checksum = payload.readUInt32BE(at + 4)
    const start = at + recordHeaderBytes
    const body = payload.subarray(start, start + sizeBytes)
    yield {
      kind: payload.readUInt8(at + 8),
      body,
      place: { offset: offset + start, sizeBytes, checksum },
    }
    at = start + sizeBytes
  }
}
