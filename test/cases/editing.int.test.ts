import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AgentDesk, type ToolStack, profiles, startToolStack } from '../harness/tool-stack.js'

let stack: ToolStack
beforeAll(async () => {
  stack = await startToolStack()
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
})

describe.each(profiles)('A: editing and writing, %s profile', (profile) => {
  let agent: AgentDesk
  beforeAll(() => {
    agent = stack.agent('edit', profile)
  })
  const edit = (path: string, old_string: string, new_string: string, more = {}) =>
    agent.call('edit_file', { path, old_string, new_string, ...more })

  test.each([{}, { replace_all: true }])(
    'BR-001: dollar sequences in the new text mean themselves (%j)',
    async (more) => {
      await agent.put('submit.sh', 'echo TOKEN\n')
      const answer = await edit('submit.sh', 'TOKEN', "$$ $& $1 $` $'", more)
      expect(answer).toMatchObject({ isError: false, details: { replacements: 1 } })
      const hex = '6563686f202424202426202431202460202427' + '0a'
      expect((await agent.bytes('submit.sh')).toString('hex')).toBe(hex)
    },
  )

  test('BR-002: entities are neither decoded nor encoded on any way', async () => {
    const page = '<p>p &lt; 0.05 &amp;&amp; n &gt; 30</p>\n'
    await agent.call('write_file', { path: 'legend.html', content: page })
    expect((await agent.bytes('legend.html')).toString()).toBe(page)
    expect((await agent.call('read_file', { path: 'legend.html' })).text).toBe(page)
    await edit('legend.html', '&lt;', '&le;')
    expect((await agent.bytes('legend.html')).toString()).toBe(page.replace('&lt;', '&le;'))
  })

  test('BR-004: LF search text is found in a CRLF file, and line ends stay CRLF', async () => {
    await agent.put('crlf.csv', 'id,val\r\nA,1\r\nB,2\r\n')
    const answer = await edit('crlf.csv', 'A,1\nB,2', 'A,1\nB,3')
    expect(answer).toMatchObject({ isError: false, details: { replacements: 1 } })
    const hex = '69642c76616c0d0a412c310d0a422c330d0a'
    expect((await agent.bytes('crlf.csv')).toString('hex')).toBe(hex)
  })

  test('BR-004: CRLF search text is found in an LF file, and no CR comes in', async () => {
    await agent.put('lf.csv', 'id,val\nA,1\nB,2\n')
    expect((await edit('lf.csv', 'A,1\r\nB,2', 'A,1\r\nB,3')).isError).toBe(false)
    expect((await agent.bytes('lf.csv')).toString()).toBe('id,val\nA,1\nB,3\n')
  })

  test('BR-006: bytes that are not UTF-8 survive far from the edit', async () => {
    const bytes = Buffer.from('74656d70203d2032300a2320323520b04320636166e90a', 'hex')
    await agent.put('cp1252.txt', bytes)
    expect((await edit('cp1252.txt', 'temp = 20', 'temp = 37')).isError).toBe(false)
    const hex = '74656d70203d2033370a2320323520b04320636166e90a'
    expect((await agent.bytes('cp1252.txt')).toString('hex')).toBe(hex)
    const refused = await edit('cp1252.txt', 'temp', 'Tämp')
    expect(refused.isError).toBe(true)
    expect(refused.text).toContain('not UTF-8')
    expect((await agent.bytes('cp1252.txt')).toString('hex')).toBe(hex)
  })

  test('BR-008: one BOM stays one BOM, and is no part of the text', async () => {
    await agent.put('bom.tsv', Buffer.from('efbbbf69640' + '96f640a41310930' + '2e340a', 'hex'))
    expect((await edit('bom.tsv', 'id\tod', 'id\tod600')).isError).toBe(false)
    const bytes = await agent.bytes('bom.tsv')
    expect(bytes.subarray(0, 5).toString('hex')).toBe('efbbbf6964')
    expect((await agent.call('read_file', { path: 'bom.tsv' })).text).toBe('id\tod600\nA1\t0.4\n')
  })

  test('BR-008: an edit of UTF-16 keeps the encoding', async () => {
    await agent.put('wide.tsv', Buffer.from('\ufeffwell\tod600\nA1\t0.42\n', 'utf16le'))
    expect((await edit('wide.tsv', 'A1\t0.42', 'A1\t0.5')).isError).toBe(false)
    const text = (await agent.bytes('wide.tsv')).toString('utf16le')
    expect(text).toBe('\ufeffwell\tod600\nA1\t0.5\n')
  })

  test('BR-009: several matches are an error that counts them and change nothing', async () => {
    await agent.put('run.yml', 'run:\n  cpu: 4\n'.repeat(3))
    const before = await agent.shell('sha256sum run.yml; stat -c %y run.yml')
    const refused = await edit('run.yml', '  cpu: 4', '  cpu: 8')
    expect(refused.isError).toBe(true)
    expect(refused.text).toContain('3 matches')
    expect(await agent.shell('sha256sum run.yml; stat -c %y run.yml')).toBe(before)
    const all = await edit('run.yml', '  cpu: 4', '  cpu: 8', { replace_all: true })
    expect(all).toMatchObject({ isError: false, details: { replacements: 3 } })
    expect((await agent.bytes('run.yml')).toString()).toBe('run:\n  cpu: 8\n'.repeat(3))
  })

  test('BR-009: places that overlap are several', async () => {
    await agent.put('overlap.txt', 'aba-aba-aba\n')
    const refused = await edit('overlap.txt', 'aba-aba', 'x')
    expect(refused.text).toContain('2 matches')
    expect((await agent.bytes('overlap.txt')).toString()).toBe('aba-aba-aba\n')
  })

  test('BR-011: permission bits stay; a link stays a link and what it names is untouched', async () => {
    await agent.put('run.sh', 'echo old\n')
    await agent.put('runs/001.csv', 'data\n')
    await agent.shell('chmod 755 run.sh; ln -sf runs/001.csv latest.csv')
    expect((await edit('run.sh', 'old', 'new')).isError).toBe(false)
    const refused = await edit('latest.csv', 'data', 'other')
    expect(refused.isError).toBe(true)
    expect(refused.text).toContain('runs/001.csv')
    const write = await agent.call('write_file', { path: 'latest.csv', content: 'x' })
    expect(write.isError).toBe(true)
    const seen = await agent.shell('stat -c %a run.sh; readlink latest.csv; cat latest.csv run.sh')
    expect(seen).toContain('755\nruns/001.csv\ndata\necho new\n')
  })

  test('H-02: a file that exists is left alone', async () => {
    await agent.put('taken.txt', 'old')
    const refused = await agent.call('write_file', { path: './taken.txt', content: 'new' })
    expect(refused.isError).toBe(true)
    expect((await agent.bytes('taken.txt')).toString()).toBe('old')
  })
})
