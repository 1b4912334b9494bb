import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type GatewayFixture, type ToolAnswer, startGateway } from '../testing/gateway-fixture.js'

let gateway: GatewayFixture
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

const StoredSchema = z.object({
  toolOutput: z.strictObject({
    ref: z.string().regex(/^tool-output-[0-9a-f]{16}$/),
    sizeBytes: z.int(),
    lines: z.int(),
    digest: z.string().regex(/^[0-9a-f]{64}$/),
  }),
})

async function stored(answer: ToolAnswer): Promise<string> {
  const { toolOutput } = StoredSchema.parse(answer.details)
  expect(answer.outputRef).toBe(toolOutput.ref)
  const bytes = await gateway.blobs.get(toolOutput.digest)
  expect(bytes.length).toBe(toolOutput.sizeBytes)
  return Buffer.from(bytes).toString('utf8')
}

function lines(count: number, callKey: string): Promise<ToolAnswer> {
  return gateway.result('run_shell', { command: `lines ${count}` }, { callKey })
}

describe('result boundary', () => {
  test('S-20: a short output passes as it is', async () => {
    const answer = await lines(10, 'run-1/short')
    expect(answer.outputRef).toBe('')
    expect(answer.details).not.toHaveProperty('toolOutput')
  })

  test('S-20: over 8 KiB the whole is kept and the model still sees all of it', async () => {
    const answer = await lines(1_200, 'run-1/kept')
    expect(answer.text).toContain('line 0\n')
    expect(answer.text).toContain('line 1199')
    expect(await stored(answer)).toBe(answer.text)
  })

  test('S-20, C-26: over 2000 lines a command shows its tail, and the whole is kept', async () => {
    const answer = await lines(3_000, 'run-1/cut')
    expect(answer.text).toContain('line 2999')
    expect(answer.text).not.toContain('line 0\n')
    expect(answer.text.split('\n').length).toBeLessThanOrEqual(2_000)
    expect(answer.text).toContain(`the whole output is kept as ${answer.outputRef}`)
    expect(await stored(answer)).toContain('line 0\n')
  })

  test('S-20: asking again gives the same reference', async () => {
    const first = await lines(2_500, 'run-1/again')
    expect((await lines(2_500, 'run-1/again')).outputRef).toBe(first.outputRef)
    expect((await lines(2_500, 'run-2/again')).outputRef).not.toBe(first.outputRef)
  })

  test('S-20: a tool that bounds itself is not kept', async () => {
    gateway.files.files.set('long.txt', Buffer.from('0123456789\n'.repeat(3_000)))
    const answer = await gateway.result('read_file', { path: 'long.txt' })
    expect(answer.text.length).toBeGreaterThan(8_192)
    expect(answer.outputRef).toBe('')
  })

  test('BR-026: of an output that its owner cut, the whole is kept in pieces and referred to', async () => {
    const command = 'flood 200000'
    const answer = await gateway.result('run_shell', { command }, { callKey: 'run-1/flood' })
    expect(answer.text.length).toBeLessThan(1_000)
    expect(answer.text).toContain(`[the whole output is kept as ${answer.outputRef}]`)
    expect(answer.details).toMatchObject({ toolOutput: { lines: 200_000 } })
    const whole = await stored(answer)
    expect(whole.length).toBe(2_288_890)
    expect(whole.endsWith('line 199999\n')).toBe(true)
  })

  test('X-06: a long list of files passes the boundary too', async () => {
    gateway.files.files.clear()
    for (let at = 0; at < 500; at += 1) {
      gateway.files.files.set(`data/${'d'.repeat(120)}-${at}.csv`, Buffer.from('x'))
    }
    const answer = await gateway.result('list_files', {}, { callKey: 'run-1/list' })
    expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(51_200)
    expect(await stored(answer)).toContain('-499.csv')
  })
})
