import { Conflict } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import {
  type GlobFilesRequest,
  type GrepFilesRequest,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWorld, inWorkspace, type Replica, type World } from './testing/runner-fixture.js'

let world: World
let replica: Replica

beforeAll(async () => {
  world = await createWorld()
  replica = await world.startReplica('one')
  await replica.run(files)
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

const files = `
mkdir -p data/deep logs .hidden
printf -- '-77,NA\\n--max-mem 8G\\na->b\\n' > log.txt
printf 'one needle\\nnone\\nNeedle two\\r\\nneedle needle\\n' > data/a.txt
printf 'needle in csv\\n' > data/deep/b.csv
printf 'needle hidden\\n' > .hidden/c.txt
printf 'needle\\0binary' > data/bin.dat
printf '\\377\\376' > data/wide.txt; printf 'needle wide\\n' | iconv -t utf-16le >> data/wide.txt
mkfifo logs/live.pipe; ln -s . loop; ln -s ../data/a.txt logs/link.txt; ln -s /etc etc
echo 'root:needle' > 'a[1].txt'; echo other > a1.txt
head -c 11000000 /dev/zero | tr '\\0' 'x' > big.txt; echo needle >> big.txt
printf '%05000d needle\\n' 7 > long.txt
`

const grep = async (pattern: string, more: Partial<GrepFilesRequest> = {}) => {
  const answer = await replica.files.grepFiles({
    ...{ ...inWorkspace, pattern, regex: false, ignoreCase: false, path: '', glob: '' },
    ...{ limit: 0, after: undefined },
    ...more,
  })
  const hits = answer.hits.map(({ path, line, text }) => `${path}:${line}:${text.slice(0, 60)}`)
  return { ...answer, lines: hits }
}
const glob = async (pattern: string, more: Partial<GlobFilesRequest> = {}) => {
  const answer = await replica.files.globFiles({
    ...{ ...inWorkspace, pattern, path: '', limit: 0, after: '' },
    ...more,
  })
  return answer.files.map(({ path }) => path)
}

describe('grep', () => {
  test('H-04: finds literal text by path and line, and says what it left out', async () => {
    const { lines, total, truncated, tooLarge } = await grep('needle')
    expect(lines).toEqual([
      '.hidden/c.txt:1:needle hidden',
      'a[1].txt:1:root:needle',
      'data/a.txt:1:one needle',
      'data/a.txt:4:needle needle',
      'data/deep/b.csv:1:needle in csv',
      'data/wide.txt:1:needle wide',
      `long.txt:1:${'0'.repeat(60)}`,
    ])
    expect([total, truncated, tooLarge]).toEqual([7n, false, 1n])
  })

  test('H-04: a long line is shown by its beginning, with the place of the match', async () => {
    const { hits } = await grep('needle', { path: 'long.txt' })
    expect(hits[0]).toMatchObject({ path: 'long.txt', cut: true, column: 5002n })
    expect(hits[0]?.text.length).toBeLessThanOrEqual(1_000)
  })

  test.each([
    ['-77', ['log.txt:1:-77,NA']],
    ['--max-mem', ['log.txt:2:--max-mem 8G']],
    ['->', ['log.txt:3:a->b']],
    ['-e', []],
    ['--files', []],
    ['--pre=cat', []],
  ])('BR-015: %j is text, never an option', async (pattern, lines) => {
    expect((await grep(pattern)).lines).toEqual(lines)
  })

  test('BR-014: no pipe is opened and no link followed', async () => {
    const startedAt = performance.now()
    const { lines } = await grep('needle', { path: 'logs' })
    expect(lines).toEqual([])
    expect((await grep('root:x')).lines).toEqual([])
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    await expect(grep('needle', { path: 'logs/live.pipe' })).rejects.toMatchObject({
      details: { field: 'path' },
    })
    expect((await grep('one', { path: 'logs/link.txt' })).lines).toEqual([
      'data/a.txt:1:one needle',
      'data/a.txt:2:none',
    ])
  })

  test('H-04: a regular expression only where it was asked for, CRLF is a line end', async () => {
    expect((await grep('n.edle')).lines).toEqual([])
    const found = await grep('^n.edle .*o$', { regex: true, ignoreCase: true, path: 'data/a.txt' })
    expect(found.lines).toEqual(['data/a.txt:3:Needle two'])
    await expect(grep('(', { regex: true })).rejects.toMatchObject({
      code: 'invalid',
      details: { field: 'pattern' },
    })
  })

  test('H-04: a glob chooses files, below the path', async () => {
    expect((await grep('needle', { glob: '*.csv' })).lines).toEqual([
      'data/deep/b.csv:1:needle in csv',
    ])
    expect((await grep('needle', { path: 'data', glob: 'deep/*' })).total).toBe(1n)
    expect((await grep('needle', { glob: String.raw`a\[1\].txt` })).total).toBe(1n)
    expect((await grep('other', { glob: 'a[1].txt' })).total).toBe(1n)
  })

  test('H-04: pages followed from the first give every line once', async () => {
    const { lines } = await grep('e')
    const seen: string[] = []
    for (let after: GrepFilesRequest['after'], more = true; more;) {
      const page = await grep('e', { limit: 2, after })
      seen.push(...page.lines)
      more = page.truncated
      after = page.hits.at(-1)
    }
    expect(seen).toEqual(lines)
    expect(seen.length).toBeGreaterThan(6)
  })

  test.each([
    [{ pattern: '' }, 'pattern'],
    [{ pattern: 'a\nb' }, 'pattern'],
    [{ path: '../x' }, 'path'],
    [{ glob: '../*' }, 'glob'],
    [{ limit: 501 }, 'limit'],
  ])('X-02: %j is refused and named', async (more, field) => {
    await expect(grep('x', more)).rejects.toMatchObject({ code: 'invalid', details: { field } })
  })

  test('a search leaves no access time: it is no input of the next execution', async () => {
    await replica.run('true')
    await grep('needle')
    await glob('**')
    const { stdoutPreview } = await replica.run('stat -c %X data/a.txt data/deep/b.csv long.txt')
    expect(stdoutPreview).toBe('0\n0\n0\n')
  })
})

describe('glob', () => {
  test('H-05: a pattern without a slash fits names on every level', async () => {
    expect(await glob('*.txt')).toEqual([
      ...['.hidden/c.txt', 'a1.txt', 'a[1].txt', 'big.txt', 'data/a.txt', 'data/wide.txt'],
      ...['log.txt', 'long.txt'],
    ])
    expect(await glob('./*.txt', { path: 'data' })).toEqual(['data/a.txt', 'data/wide.txt'])
    expect(await glob('data/*')).toEqual(['data/a.txt', 'data/bin.dat', 'data/wide.txt'])
    expect(await glob('/workspace/data/**/*.csv')).toEqual(['data/deep/b.csv'])
  })

  test('H-05: a backslash takes the meaning of what follows', async () => {
    expect(await glob(String.raw`a\[1\].txt`)).toEqual(['a[1].txt'])
    expect(await glob('a[12].txt')).toEqual(['a1.txt'])
  })

  test('BR-014: pipes and links are left out', async () => {
    const all = await glob('**/*')
    expect(all.filter((path) => /pipe|loop|link|etc/.test(path))).toEqual([])
    expect(all.filter((path) => path.endsWith('data/a.txt'))).toEqual(['data/a.txt'])
  })

  test('H-05: pages followed from the first give every file once', async () => {
    const all = await glob('**')
    const seen: string[] = []
    for (let after = '', more = true; more;) {
      const page = await glob('**', { limit: 2, after })
      seen.push(...page)
      more = page.length === 2
      after = page.at(-1) ?? ''
    }
    expect(seen).toEqual(all)
  })

  test('a pattern that takes for ever ends with its thread', async () => {
    await replica.files.writeFile({
      ...{ ...inWorkspace, effectKey: 'slow', path: `${'a'.repeat(60)}.slow` },
      ...{ content: Buffer.alloc(0), conflict: Conflict.CONFLICT_REJECT },
    })
    const controller = new AbortController()
    const slow = replica.files.globFiles(
      { ...inWorkspace, pattern: '+(+(a|aa)|aaa)b.slow', path: '', limit: 0, after: '' },
      { signal: controller.signal },
    )
    controller.abort()
    await expect(slow).rejects.toMatchObject({ code: 'cancelled' })
    expect((await glob('log.txt')).length).toBe(1)
  })
})
