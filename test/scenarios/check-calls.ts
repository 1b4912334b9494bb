import { z } from 'zod'
import { expect } from 'vitest'
import { type ExpectedCall } from './expectation.js'
import { type Played } from './play-scenario.js'

const EndSchema = z.object({
  isError: z.boolean(),
  text: z.string(),
  details: z.record(z.string(), z.unknown()),
})
type End = z.infer<typeof EndSchema>

const ExecutionSchema = z.object({
  state: z.string(),
  exitCode: z.int().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  createdFiles: z.array(z.string()),
  modifiedFiles: z.array(z.string()),
})

/** Every call of the expectation ended as it says. */
export async function checkCalls(played: Played): Promise<void> {
  for (const [callId, expected] of Object.entries(played.expectation.calls)) {
    const end = endOf(played, callId)
    checkOutcome(callId, end, expected)
    checkExecution(callId, end, expected)
    checkAnswer(callId, end, expected)
    checkArtifact(callId, { end, played }, expected)
    if (expected.pngSize) await checkPng(callId, { end, played }, expected.pngSize)
  }
}

function endOf({ events }: Played, callId: string): End {
  const end = events.find(
    ({ type, data }) => type === 'tool.call.completed' && data.callId === callId,
  )
  expect(end, `${callId} has a result`).toBeDefined()
  return EndSchema.parse(end?.data)
}

function checkOutcome(callId: string, { isError, details }: End, { outcome, code }: ExpectedCall): void {
  expect(isError, `${callId} is an error`).toBe(outcome === 'error' || outcome === 'failed')
  if (code !== undefined) expect(details, callId).toMatchObject({ error: { code } })
}

function checkExecution(callId: string, { details }: End, expected: ExpectedCall): void {
  const { outcome } = expected
  if (outcome === 'ok' || outcome === 'error') return
  const execution = ExecutionSchema.parse(details.execution)
  if (outcome !== 'accepted') expect(execution.state, callId).toBe(outcome)
  const { exitCode, stdout, stdoutStartsWith = '' } = expected
  expect(execution, callId).toMatchObject(given({ exitCode, stdout }))
  expect(execution.stdout.startsWith(stdoutStartsWith), `${callId}: ${execution.stdout}`).toBe(true)
  for (const part of expected.stdoutContains ?? []) expect(execution.stdout, callId).toContain(part)
  for (const part of expected.stderrContains ?? []) expect(execution.stderr, callId).toContain(part)
  checkChanges(callId, execution, expected)
}

function checkChanges(
  callId: string,
  { createdFiles, modifiedFiles }: z.infer<typeof ExecutionSchema>,
  { created, modified }: ExpectedCall,
): void {
  if (created) expect(createdFiles.toSorted(), callId).toEqual(created.toSorted())
  if (modified) expect(modifiedFiles.toSorted(), callId).toEqual(modified.toSorted())
}

/** What the expectation says of these. */
function given(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

const namesIn = (list: unknown, field: string): readonly unknown[] =>
  z.array(z.record(z.string(), z.unknown())).parse(list).map((item) => item[field])

function checkAnswer(callId: string, end: End, expected: ExpectedCall): void {
  const { details } = end
  const { paths, names, items, page, replacements, binary, bytes, mediaType, content } = expected
  if (paths) expect(namesIn(details.files, 'path'), callId).toEqual(paths)
  if (names) expect(namesIn(details.artifacts, 'name').toSorted(), callId).toEqual(names.toSorted())
  if (items) {
    const answered = z.array(z.object({ path: z.string(), ok: z.boolean() })).parse(details.items)
    expect(answered, callId).toEqual(items)
  }
  expect(details, callId).toMatchObject(given({ page, replacements, binary, mediaType, content }))
  if (bytes !== undefined) expect(details.sizeBytes ?? details.size, callId).toBe(bytes)
  checkAbsent(callId, end, expected)
}

/** What a model must not be shown. */
function checkAbsent(
  callId: string,
  { details, text }: End,
  { mustNotContain = [], noBody }: ExpectedCall,
): void {
  const shown = JSON.stringify([text, details])
  for (const part of mustNotContain) expect(shown, callId).not.toContain(part)
  if (!noBody) return
  expect(details.content, callId).toBeUndefined()
  expect(shown, callId).not.toMatch(/PNG\\r|iVBORw0K/)
}

const DeclaredSchema = z.object({
  artifact: z.object({ id: z.string(), name: z.string(), version: z.int() }),
})

function checkArtifact(
  callId: string,
  { end, played }: { readonly end: End; readonly played: Played },
  { name, version, sameArtifactAs }: ExpectedCall,
): void {
  if (name === undefined && version === undefined && sameArtifactAs === undefined) return
  const { artifact } = DeclaredSchema.parse(end.details)
  if (name !== undefined) expect(artifact.name, callId).toBe(name)
  if (version !== undefined) expect(artifact.version, callId).toBe(version)
  if (sameArtifactAs === undefined) return
  const other = DeclaredSchema.parse(endOf(played, sameArtifactAs).details)
  expect(artifact.id, callId).toBe(other.artifact.id)
}

/** A figure is told by its size in pixels, never by its bytes. */
async function checkPng(
  callId: string,
  { end, played }: { readonly end: End; readonly played: Played },
  size: readonly [number, number],
): Promise<void> {
  const { name, version } = DeclaredSchema.parse(end.details).artifact
  const png = await played.bytes(
    ...['artifacts', 'get', name, '--version', String(version)],
    ...['--project', played.projectId],
  )
  expect(png.subarray(1, 4).toString(), callId).toBe('PNG')
  expect([png.readUInt32BE(16), png.readUInt32BE(20)], callId).toEqual(size)
}
