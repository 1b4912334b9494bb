import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type AgentDesk, type ToolStack, profiles, startToolStack } from '../harness/tool-stack.js'

let stack: ToolStack
beforeAll(async () => {
  stack = await startToolStack()
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
})

const PagedSchema = z.object({
  page: z.object({ hasMore: z.boolean(), next: z.record(z.string(), z.unknown()).optional() }),
})

/** Every page from the first on, each with what the one before said merged into the same call. */
async function follow(agent: AgentDesk, tool: string, args: object) {
  const answers = []
  for (let merged = args; ;) {
    const answer = await agent.call(tool, merged)
    expect([tool, answer.isError, answer.isError && answer.text]).toEqual([tool, false, false])
    const { page } = PagedSchema.parse(answer.details)
    expect(page.next === undefined).toBe(!page.hasMore)
    answers.push(answer)
    if (!page.next) return answers
    merged = { ...merged, ...page.next }
    expect(answers.length).toBeLessThan(400)
  }
}

const withoutHead = (text: string): string => text.replace(/^\[lines [^\n]*\]\n/, '')

const texts = {
  'short.txt': 'a\nb\n',
  'no-end.txt': `${'x\n'.repeat(5_000)}last`,
  'crlf.txt': 'alpha,beta\r\n'.repeat(5_000),
  'wide.txt': `first\n${'质'.repeat(30_000)}😀${'z'.repeat(50_000)}\r\nend`,
  'edge.txt': `${'a'.repeat(40 * 1024 - 1)}é${'b'.repeat(100)}\n`,
  'page.txt': `${'c'.repeat(40 * 1024)}\n${'d'.repeat(40 * 1024)}`,
  'blank.txt': '\n'.repeat(2_001),
}

describe.each(profiles)('pages followed by next, %s profile', (profile) => {
  let agent: AgentDesk
  beforeAll(() => {
    agent = stack.agent('pages', profile)
  })

  test.each(Object.entries(texts))('S-02: read_file gives %s as it is', async (path, text) => {
    await agent.put(path, text)
    const answers = await follow(agent, 'read_file', { path })
    expect(answers.map((answer) => withoutHead(answer.text)).join('')).toBe(text)
    const some = await follow(agent, 'read_file', { path, limit: 700 })
    expect(some.map((answer) => withoutHead(answer.text)).join('')).toBe(text)
  })

  test.each(['utf-8', 'utf-16le', 'utf-16be'])('BR-008: so with a BOM in %s', async (name) => {
    const text = texts['wide.txt']
    const bytes = Buffer.from(`\ufeff${text}`, name === 'utf-8' ? 'utf8' : 'utf16le')
    await agent.put('bom.txt', name === 'utf-16be' ? bytes.swap16() : bytes)
    const answers = await follow(agent, 'read_file', { path: 'bom.txt' })
    const shown = answers.map((answer) => answer.text.replace(/^\[[^\n]*lines [^\n]*\]\n/, ''))
    expect(shown.join('')).toBe(text)
  })

  test('S-05: read_artifact gives a version as it is', async () => {
    await agent.put('wide.txt', texts['wide.txt'])
    const name = `wide-${profile}`
    await agent.call('declare_artifact', { path: 'wide.txt', name })
    const answers = await follow(agent, 'read_artifact', { name })
    expect(answers.length).toBeGreaterThan(3)
    expect(answers.map(({ text }) => withoutHead(text)).join('')).toBe(texts['wide.txt'])
  })

  test('C-01, H-04, H-05: lists and hits give every entry once', async () => {
    await agent.shell(
      'mkdir -p many/sub; for n in $(seq 1201); do echo "hit $n" > "many/f $n.txt"; done; touch many-b',
    )
    const files = z.object({ files: z.array(z.object({ path: z.string() })) })
    const pathsOf = (answers: readonly { readonly details: unknown }[]): string[] =>
      answers.flatMap(({ details }) => files.parse(details).files.map(({ path }) => path))
    const all = (await agent.shell('cd many; ls -A')).split('\n').filter((name) => /\S/.test(name))
    const names = all.filter((name) => /^(f |sub)/.test(name)).map((name) => `many/${name}`)
    expect(names.length).toBe(1_202)
    const listed = pathsOf(await follow(agent, 'list_files', { path: 'many' }))
    expect(new Set(listed)).toEqual(new Set(names))
    expect(listed.length).toBe(names.length)
    const globbed = pathsOf(await follow(agent, 'glob_files', { pattern: 'many/*.txt' }))
    expect([globbed.length, new Set(globbed).size]).toEqual([1_201, 1_201])
    const found = await follow(agent, 'grep_files', { pattern: 'hit 1', path: 'many' })
    const hits = found.flatMap(({ text }) => text.split('\n').filter((line) => /:1:hit/.test(line)))
    expect([hits.length, new Set(hits).size]).toEqual([313, 313])
  })
})

describe('pages of artifacts', () => {
  test('S-04: list_artifacts gives every artifact of the project once', async () => {
    const agent = stack.agent('lister', 'science')
    const paths = Array.from({ length: 230 }, (_, n) => `many/${n}.csv`)
    await agent.shell('mkdir -p many; for n in $(seq 0 229); do echo $n > many/$n.csv; done')
    for (let at = 0; at < paths.length; at += 50) {
      await agent.call('declare_artifact', { paths: paths.slice(at, at + 50) })
    }
    const schema = z.object({ artifacts: z.array(z.object({ name: z.string() })) })
    const answers = await follow(agent, 'list_artifacts', {})
    expect(answers.length).toBe(2)
    const names = answers.flatMap(({ details }) =>
      schema.parse(details).artifacts.map(({ name }) => name),
    )
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(expect.arrayContaining(paths))
  })
})
