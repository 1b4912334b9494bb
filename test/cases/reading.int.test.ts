import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AgentDesk, type ToolStack, profiles, startToolStack } from '../harness/tool-stack.js'

let stack: ToolStack
beforeAll(async () => {
  stack = await startToolStack()
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
})

describe.each(profiles)('B: reading and searching, %s profile', (profile) => {
  const base = profile === 'harness' ? 0 : 1
  let agent: AgentDesk
  beforeAll(() => {
    agent = stack.agent('read', profile)
  })
  const read = (path: string, more = {}) => agent.call('read_file', { path, ...more })
  const top = profile === 'harness' ? { path: '.' } : {}

  test('BR-012: offset at and after the end, and no 11th line', async () => {
    await agent.put('ten.txt', Array.from({ length: 10 }, (_, n) => `row ${n + 1}\n`).join(''))
    const last = await read('ten.txt', { offset: 5 + base, limit: 2000 })
    expect(last.text).toContain('row 6\nrow 7\nrow 8\nrow 9\nrow 10\n')
    expect(last.text).not.toContain('row 5')
    expect(last.details).toMatchObject({ page: { hasMore: false, totalLines: 10 } })
    expect(last.details).not.toHaveProperty('page.next')
    for (const offset of [10, 1200]) {
      const past = await read('ten.txt', { offset: offset + base })
      expect(past.text).toContain('10 lines')
      expect(past.text).not.toContain('row')
    }
    await agent.put('empty', '')
    expect((await read('empty', { offset: base })).text).toContain('0 lines')
  })

  test('C-02: both profiles count the same lines, each from its own first', async () => {
    await agent.put('abc.txt', 'a\nb\nc\nd\n')
    const page = await read('abc.txt', { offset: base, limit: 2 })
    expect(page.text).toContain('a\nb\n')
    expect(page.details).toMatchObject({ page: { next: { offset: base + 2 } } })
  })

  test('BR-014: pipes and loops of links neither block nor repeat', async () => {
    await agent.put('a.txt', 'one needle\n')
    await agent.shell('mkdir -p logs; mkfifo logs/live.pipe; ln -sf . loop; ln -sf x x')
    const startedAt = performance.now()
    const pipe = await read('logs/live.pipe')
    expect([pipe.isError, pipe.text]).toEqual([true, expect.stringContaining('not a regular file')])
    const grep = await agent.call('grep_files', { pattern: 'needle' })
    expect(grep.text).toBe('a.txt:1:one needle')
    const glob = await agent.call('glob_files', { pattern: '**/*' })
    expect(glob.text.match(/a\.txt/g)).toHaveLength(1)
    const list = await agent.call('list_files', top)
    expect(list.text.match(/(^|\n)a\.txt(\n|$)/g)).toHaveLength(1)
    for (const { text } of [glob, list]) expect(text).not.toMatch(/loop|live\.pipe/)
    expect(performance.now() - startedAt).toBeLessThan(8_000)
    await agent.shell('rm -r logs loop x')
  })

  test.each([
    ['-77', 'log.txt:1:-77,NA'],
    ['--max-mem', 'log.txt:2:--max-mem 8G'],
    ['->', 'log.txt:3:a->b'],
    ['-e', undefined],
  ])('BR-015: the pattern %j is text and never an option', async (pattern, hit) => {
    await agent.put('log.txt', '-77,NA\n--max-mem 8G\na->b\n')
    const { text, isError, details } = await agent.call('grep_files', { pattern })
    expect(isError).toBe(false)
    expect(details).toMatchObject({ total: hit === undefined ? 0 : 1 })
    expect(text).toBe(hit ?? 'No line has "-e".')
  })

  test('BR-017: a name that looks the same is found, and its odd character is said', async () => {
    await agent.put('Messung_a\u0308.csv', 'decomposed\n')
    await agent.put('plate\u00a03.png', 'no-break\n')
    const composed = await read('Messung_\u00e4.csv')
    expect(composed.text).toContain('decomposed\n')
    expect(composed.text).toContain('U+0308')
    expect(composed.details).toMatchObject({ path: 'Messung_a\u0308.csv' })
    expect((await read('plate 3.png')).text).toContain('U+00A0')
  })

  test('BR-017: no second file that looks the same is written without a word', async () => {
    await agent.put('Probe_a\u0308.csv', 'first\n')
    const write = { path: 'Probe_\u00e4.csv', content: 'second\n' }
    const refused = await agent.call('write_file', write)
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('U+0308')])
    const edited = await agent.call('edit_file', {
      path: 'Probe_\u00e4.csv',
      old_string: 'first',
      new_string: 'edited',
    })
    expect(edited.isError).toBe(false)
    expect((await agent.bytes('Probe_a\u0308.csv')).toString()).toBe('edited\n')
    expect(await agent.shell('ls | grep -c Probe')).toContain('\n1\n')
  })

  test('BR-017: where both spellings exist the exact one wins', async () => {
    await agent.shell("printf 'c\\n' > $'x_\\u00e4.txt'; printf 'd\\n' > $'x_a\\u0308.txt'")
    expect((await read('x_\u00e4.txt')).text).toBe('c\n')
    expect((await read('x_a\u0308.txt')).text).toBe('d\n')
    expect((await read('x_\u00e4\u200b.txt')).text).toContain('several look like it')
  })

  test('BR-018: what leaves the workspace by name is refused, by one kind of error', async () => {
    await agent.put('notes.md', 'notes\n')
    const outside = [
      '../proj-secret/key.txt',
      '/ws/proj-secret/key.txt',
      'a/../../proj-secret/key.txt',
      'a/../notes.md',
      '/workspace-secret/key.txt',
    ]
    for (const path of outside) {
      const answer = await read(path)
      expect([path, answer.isError, answer.text]).toEqual([
        path,
        true,
        expect.stringContaining('outside the workspace'),
      ])
    }
    expect((await read('notes.md\u0000.png')).text).toContain('NUL')
    expect((await read('./notes.md')).text).toBe('notes\n')
    for (const tool of ['grep_files', 'glob_files'] as const) {
      const answer = await agent.call(tool, { pattern: 'x', path: '../proj-secret' })
      expect(answer.text).toContain('outside the workspace')
    }
  })

  test('BR-083 a: an equal read after an edit shows the new state', async () => {
    await agent.put('state.txt', 'one\n')
    expect((await read('state.txt')).text).toBe('one\n')
    await agent.call('edit_file', { path: 'state.txt', old_string: 'one', new_string: 'two' })
    expect((await read('state.txt')).text).toBe('two\n')
  })

  test('BR-083 b: an equal listing after a command shows the new file', async () => {
    expect((await agent.call('list_files', top)).text).not.toContain('fresh.txt')
    await agent.shell('touch fresh.txt')
    expect((await agent.call('list_files', top)).text).toContain('fresh.txt')
  })
})
