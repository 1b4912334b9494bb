import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type GatewayFixture, place, startGateway } from '../testing/gateway-fixture.js'
import { ReadToolOutputDetailsSchema } from './read-tool-output.js'

let gateway: GatewayFixture
const used = { keys: 0 }
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

const StoredSchema = z.object({ toolOutput: z.object({ ref: z.string(), digest: z.string() }) })

/** Runs a command whose output is kept; gives its reference and the whole of it. */
async function kept(command: string) {
  const callKey = `run-1/k${(used.keys += 1)}`
  const answer = await gateway.result('run_shell', { command }, { callKey })
  const { ref, digest } = StoredSchema.parse(answer.details).toolOutput
  return { ref, whole: Buffer.from(await gateway.blobs.get(digest)).toString() }
}

const runOf = (name: string) => ({ context: { ...place, runId: `r-0-${name}-default` } })

async function read(args: object, more: object = {}) {
  const callKey = `run-1/r${(used.keys += 1)}`
  const answer = await gateway.result('read_tool_output', args, { callKey, ...more })
  if (answer.isError) throw new Error(answer.text)
  return { ...answer, details: ReadToolOutputDetailsSchema.parse(answer.details) }
}

/** All pages from the first one on, without their heads. */
async function follow(args: object, run: string): Promise<string> {
  let whole = ''
  for (let merged = args, pages = 0; pages < 50; pages += 1) {
    const { text, details } = await read(merged, runOf(run))
    whole += text
      .replace(/^\[[^\n]* (?:read in this run|was read before)[^\n]*\]\n/, '')
      .replace(/^\[[^\n]*\]\n/, '')
    if (!details.page.next) return whole
    merged = { ...merged, ...details.page.next }
  }
  throw new Error('no end')
}

describe('read_tool_output', () => {
  test('S-19: lines, followed by next, are the whole output', async () => {
    const { ref, whole } = await kept('lines 3000')
    const first = await read({ ref, offset: 2990 })
    expect(first.text).toContain('line 2999')
    expect(first.text).toContain('to the end]')
    expect(await follow({ ref }, 'lines')).toBe(whole)
    expect(await follow({ ref, limit: 700 }, 'lines-700')).toBe(whole)
    expect(await follow({ ref, charLimit: 9_999 }, 'chars')).toBe(whole)
  })

  test('S-19: a line that is wider than a page is gone on with by characters', async () => {
    gateway.files.files.set('wide.txt', Buffer.from(''))
    const { digest } = await gateway.blobs.put(Buffer.from(`a\nµ${'w'.repeat(100_000)}\nend\n`))
    const ref = 'tool-output-00000000000000aa'
    const data = {
      effectId: 'e',
      callId: 'c',
      ref,
      digest,
      sizeBytes: 100_008,
      lines: 3,
      tool: 't',
    }
    const dataJson = JSON.stringify(data)
    gateway.record([{ effectId: 'e', type: 'tool_output.stored', version: 1, dataJson }])
    const wide = await read({ ref, offset: 2, limit: 5 })
    expect(wide.details.page).toMatchObject({
      partialLine: true,
      next: { offset: null, limit: null, charOffset: 2 + 40 * 1024 - 1 },
    })
    expect(await follow({ ref }, 'wide')).toBe(`a\nµ${'w'.repeat(100_000)}\nend\n`)
  })

  test('S-19: a search gives matches with their places', async () => {
    const { ref, whole } = await kept('lines 3001')
    const { text, details } = await read({ ref, query: 'LINE 2999', contextChars: 10 })
    expect(details.page).toMatchObject({ totalMatches: 1, hasMore: false })
    expect(details.page).toMatchObject({ matches: [{ charOffset: whole.indexOf('line 2999') }] })
    expect(text).toContain('line 2998')
    const none = await read({ ref, query: 'LINE 2999', caseSensitive: true })
    expect(none.text).toBe('The output has no match of "LINE 2999".')
    const many = await read({ ref, query: 'line 29', maxMatches: 20, contextChars: 0 })
    expect(many.details.page).toMatchObject({ totalMatches: 111, next: { matchOffset: 20 } })
  })

  test('S-19: counters are derived from what the run recorded, and advise, never block', async () => {
    const { ref } = await kept('lines 6000')
    const run = runOf('counted')
    const first = (await read({ ref }, run)).details.readObservation
    expect(first).toMatchObject({ pagesRead: 1, duplicatePage: false })
    const again = await read({ ref }, run)
    expect(again.details.readObservation).toMatchObject({ pagesRead: 2, duplicatePage: true })
    expect(again.text).toContain('was read before in this run')
    await read({ ref, offset: 2001 }, run)
    const third = await read({ ref, offset: 4001 }, run)
    expect(third.details.readObservation.cumulativeBytes).toBeGreaterThan(65_536)
    expect(third.text).toContain('a search with query needs less')
    const more = await read({ ref, charOffset: 0, charLimit: 60_000 }, run)
    expect(more.text).toContain('stop reading it page by page')
    const other = (await read({ ref }, runOf('other'))).details.readObservation
    expect(other).toEqual({ ...first, duplicatePage: false })
  })

  test('S-19: a reference of another session, or of nobody, is not found', async () => {
    const { ref } = await kept('lines 2002')
    const context = { ...place, sessionId: 's-ffffffffffffffff-default' }
    const foreign = await gateway.result('read_tool_output', { ref }, { context })
    const unknown = await gateway.result('read_tool_output', {
      ref: 'tool-output-ffffffffffffffff',
    })
    expect(foreign.text).toBe(
      `NOT_FOUND: ${ref} not found; send a reference that an answer of this session named`,
    )
    expect(unknown.isError).toBe(true)
  })

  test.each([
    [{ offset: 1, charOffset: 0 }, 'goes with one way of reading only'],
    [{ limit: 5, query: 'x' }, 'goes with one way of reading only'],
    [{ charLimit: 5, query: 'x' }, 'goes with one way of reading only'],
    [{ contextChars: 5 }, 'query: is missing'],
    [{ query: '' }, 'query: has 0 characters'],
    [{ maxMatches: 21, query: 'x' }, 'maxMatches: is 21'],
    [{ limit: 10_001 }, 'limit: is 10001'],
    [{ ref: 'output-1' }, 'ref: is no reference'],
  ])('S-19: %j is refused and named', async (args, message) => {
    const all = { ref: 'tool-output-0000000000000000', ...args }
    const answer = await gateway.result('read_tool_output', all)
    expect(answer.isError).toBe(true)
    expect(answer.text).toContain(message)
  })
})
