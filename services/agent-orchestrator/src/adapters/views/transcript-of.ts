import { type TranscriptEntry } from '@sciencediscovery/proto-gen/runs/v1/runs'
import { StoredTextSchema } from '@sciencediscovery/run-events'
import { type Kysely } from 'kysely'
import { z } from 'zod'
import { type Schema } from '../../db/schema.js'
import { type Page, type PageRequest } from '../../handlers/views.js'
import { type Texts } from '../../texts.js'
import { decodePageToken, keyNumber } from './page-token.js'
import { toPage } from './page.js'

/** Well below what a message may hold. What a single entry has beyond it stays a reference. */
const maxAnswerBytes = 12 * 1024 * 1024
const KeySchema = z.tuple([keyNumber, keyNumber])

export async function transcriptOf(
  { db, texts }: { readonly db: Kysely<Schema>; readonly texts: Texts },
  filter: { readonly sessionId: string; readonly runId: string },
  page: PageRequest,
): Promise<Page<TranscriptEntry>> {
  const after = decodePageToken(page.pageToken, KeySchema)
  const rows = await db
    .selectFrom('transcript')
    .innerJoin('session_runs', 'session_runs.run_id', 'transcript.run_id')
    .selectAll('transcript')
    .orderBy('sequence')
    .orderBy('position')
    .$if(filter.sessionId !== '', (query) =>
      query.where('session_runs.session_id', '=', filter.sessionId),
    )
    .$if(filter.runId !== '', (query) => query.where('transcript.run_id', '=', filter.runId))
    .$if(after !== undefined, (query) =>
      query.where((eb) =>
        eb(eb.refTuple('sequence', 'position'), '>', eb.tuple(after?.[0] ?? 0, after?.[1] ?? 0)),
      ),
    )
    .limit(page.pageSize + 1)
    .execute()
  const shown = await loadPage(texts, rows.slice(0, page.pageSize))
  return toPage(
    [...shown, ...rows.slice(shown.length, shown.length + 1)],
    shown.length,
    (row) => [row.sequence, row.position],
    (row) => ({
      runId: row.run_id,
      position: BigInt(row.position),
      role: row.role,
      text: row.text,
      callsJson: row.calls,
      time: row.recorded_at,
    }),
  )
}

/** The first rows with their texts: as many as one answer holds, at least one. */
async function loadPage<Row extends { readonly text: string; readonly calls: string }>(
  texts: Texts,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const shown: Row[] = []
  let sizeBytes = 0
  for (const row of rows) {
    const text = await loadText(texts, row.text)
    const calls = await loadCalls(texts, row.calls)
    const ownBytes = Buffer.byteLength(text) + Buffer.byteLength(calls)
    sizeBytes += ownBytes
    if (shown.length > 0 && sizeBytes > maxAnswerBytes) break
    shown.push(ownBytes > maxAnswerBytes ? { ...row, text } : { ...row, text, calls })
  }
  return shown
}

function loadText(texts: Texts, stored: string): Promise<string> {
  return texts.loadText(StoredTextSchema.parse(JSON.parse(stored)))
}

const CallsSchema = z.array(z.looseObject({ argumentsText: StoredTextSchema.optional() }))

async function loadCalls(texts: Texts, stored: string): Promise<string> {
  if (stored === '') return ''
  const calls = CallsSchema.parse(JSON.parse(stored)).map(async ({ argumentsText, ...call }) =>
    argumentsText === undefined
      ? call
      : { ...call, argumentsText: await texts.loadText(argumentsText) },
  )
  return JSON.stringify(await Promise.all(calls))
}
