import { type JournalRecord, recordKinds } from './journal-format.js'

/** A commit as a journal record: its subject in front, so that a start needs to parse no commit. */
export function toCommitRecord(subject: string, commitBytes: Buffer): JournalRecord {
  const name = Buffer.from(subject)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(name.length)
  return { kind: recordKinds.commit, body: Buffer.concat([length, name, commitBytes]) }
}

/** The subject of a commit record. */
export function subjectOfRecord(body: Buffer): string {
  return body.toString('utf8', 2, 2 + body.readUInt16BE(0))
}

/** The encoded commit of a commit record. */
export function commitBytesOf(body: Buffer): Buffer {
  return body.subarray(2 + body.readUInt16BE(0))
}
