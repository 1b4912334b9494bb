import { z } from 'zod'
import { expect } from 'vitest'
import { type ExpectedProvenance } from './expectation.js'
import { type Played } from './play-scenario.js'

const RevisionSchema = z.object({ path: z.string(), sha256: z.string(), callId: z.string() })
const RecordSchema = z.object({
  revisions: z.array(RevisionSchema),
  upstream: z.array(
    z.object({
      callId: z.string(),
      inputs: z.array(
        z.object({
          path: z.string(),
          sha256: z.string(),
          origin: z.string(),
          evidence: z.string(),
          callId: z.string(),
        }),
      ),
    }),
  ),
})

/** The version was made by the call that the expectation names, out of what it names. */
export async function checkProvenance(played: Played): Promise<void> {
  for (const expected of played.expectation.provenance) await checkOne(played, expected)
}

async function checkOne(played: Played, expected: ExpectedProvenance): Promise<void> {
  const { of: name, version, generatedBy, notGeneratedBy, uses } = expected
  const label = `${name} version ${version}`
  const record = RecordSchema.parse(
    await played.json(
      ...['provenance', name, '--version', String(version)],
      ...['--project', played.projectId],
    ),
  )
  expect(record.upstream[0]?.callId, label).toBe(generatedBy)
  expect(record.revisions.at(-1)?.callId, label).toBe(generatedBy)
  for (const callId of notGeneratedBy) expect(record.revisions.at(-1)?.callId).not.toBe(callId)
  const followed = record.upstream
    .flatMap(({ inputs }) => inputs)
    .filter(({ evidence }) => evidence !== 'possible')
  for (const use of uses) {
    const { path, revisions } = use
    const found = followed.filter((input) => input.path === path)
    expect(found, `${label} used ${path}`).not.toEqual([])
    if (use.sha256 !== undefined) expect(found.map(({ sha256 }) => sha256)).toContain(use.sha256)
    if (use.origin !== undefined) expect(found.map(({ origin }) => origin)).toContain(use.origin)
    if (use.generatedBy !== undefined)
      expect(found.map(({ callId }) => callId)).toContain(use.generatedBy)
    if (revisions) await checkRevisions(played, path, revisions)
  }
}

async function checkRevisions(
  played: Played,
  path: string,
  expected: readonly { readonly by: string }[],
): Promise<void> {
  const record = RecordSchema.parse(
    await played.json('provenance', path, '--session', played.sessionId),
  )
  expect(record.revisions.map(({ callId }) => ({ by: callId })), path).toEqual(expected)
}
