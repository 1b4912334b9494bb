import { describe, expect, test } from 'vitest'
import { type LogPage, type OutputStream } from '../../output.js'
import { ArrivalOrder } from './arrival-order.js'
import { readLog } from './read-log.js'

type Write = readonly [OutputStream, string | Buffer]

/** A source of what was written, of which stretches may be gone. */
function sourceOf(writes: readonly Write[], gone: readonly [number, number] = [0, 0]) {
  const order = new ArrivalOrder()
  const bytes = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) }
  for (const [stream, content] of writes) {
    const chunk = Buffer.from(content)
    order.add(stream, chunk)
    bytes[stream] = Buffer.concat([bytes[stream], chunk])
  }
  order.end('stdout')
  order.end('stderr')
  return {
    runs: order.runs(),
    // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
    async *read({
      stream,
      offset,
      length,
    }: {
      stream: OutputStream
      offset: number
      length: number
    }) {
      const end = Math.min(offset + length, bytes[stream].length)
      for (let at = offset; at < end; at += 1) {
        if (at >= gone[0] && at < gone[1]) continue
        yield { offset: at, content: bytes[stream].subarray(at, at + 1) }
      }
    },
  }
}

const page = { cursor: 0, limit: 4, byLine: false }

async function allPages(source: ReturnType<typeof sourceOf>, byLine = false): Promise<LogPage[]> {
  const pages: LogPage[] = []
  for (let cursor = 0; ; cursor = pages.at(-1)?.nextCursor ?? 0) {
    const found = await readLog(source, { cursor, limit: 4, byLine })
    pages.push(found)
    if (!found.truncated) return pages
  }
}

const shown = (pages: readonly LogPage[]): string[] =>
  pages.flatMap(({ chunks }) => chunks.map(({ stream, text }) => `${stream}:${text}`))

describe('log', () => {
  const ten: Write[] = Array.from({ length: 10 }, (_, n) => [
    'stdout',
    `line ${n}${n === 5 ? ' µ' : ''}\n`,
  ])

  test('BR-032: four lines a page, without gap or repeat', async () => {
    const pages = await allPages(sourceOf(ten), true)
    expect(pages.map(({ chunks }) => chunks.length)).toEqual([4, 4, 2])
    expect(shown(pages).join('')).toBe(
      ten.map(([stream, text]) => `${stream}:${text.toString()}`).join(''),
    )
  })

  test('BR-032: a cursor past the end gives the true end, from which what comes later is seen', async () => {
    const past = await readLog(sourceOf(ten), { ...page, cursor: 10_000_000 })
    expect(past).toEqual({
      chunks: [],
      nextCursor: 73,
      truncated: false,
      retentionTruncated: false,
    })
    const later = await readLog(sourceOf([...ten, ['stdout', 'line 10\n']]), {
      ...page,
      cursor: 73,
    })
    expect(later.chunks).toEqual([{ cursor: 73, stream: 'stdout', text: 'line 10\n' }])
  })

  test('S-09: one cursor over both streams in the order of arrival', async () => {
    const writes: Write[] = [
      ['stderr', 'a'],
      ['stdout', 'b'],
      ['stdout', 'c'],
      ['stderr', 'd'],
    ]
    const { chunks } = await readLog(sourceOf(writes), page)
    expect(chunks).toEqual([
      { cursor: 0, stream: 'stderr', text: 'a' },
      { cursor: 1, stream: 'stdout', text: 'bc' },
      { cursor: 3, stream: 'stderr', text: 'd' },
    ])
  })

  test('BR-024: a character in two pieces is one, with the other stream in between', async () => {
    const writes: Write[] = [
      ['stdout', Buffer.from([0xc2])],
      ['stderr', Buffer.from([0xe2, 0x82])],
      ['stdout', Buffer.from([0xb5])],
      ['stderr', Buffer.from([0xac, 0x0a])],
    ]
    expect(shown(await allPages(sourceOf(writes)))).toEqual(['stdout:µ', 'stderr:€\n'])
  })

  test.each(['µ', '€', '😀', 'a', '\ufffd'])(
    'S-09: at most 4096 characters, none cut: %s',
    async (character) => {
      const text = character.repeat(10_001)
      const pages = await allPages(sourceOf([['stdout', text]]))
      const chunks = pages.flatMap((one) => one.chunks)
      expect(Math.max(...chunks.map((chunk) => chunk.text.length))).toBeLessThanOrEqual(4096)
      expect(chunks.map((chunk) => chunk.text).join('')).toBe(text)
      expect(pages.at(-1)?.nextCursor).toBe(Buffer.byteLength(text))
    },
  )

  test('S-09: chunks end with lines where they can', async () => {
    const text = `${'x'.repeat(70)}\n`.repeat(200)
    const pages = await allPages(sourceOf([['stdout', text]]))
    for (const chunk of pages.flatMap((one) => one.chunks)) expect(chunk.text).toMatch(/\n$/)
  })

  test('S-09: what is not retained any more is passed over and said', async () => {
    const source = sourceOf([['stdout', 'head µµ tail']], [4, 7])
    const { chunks, retentionTruncated, nextCursor } = await readLog(source, page)
    expect(chunks.map(({ text }) => text).join('|')).toMatch(/^head\|µ? ?tail$/)
    expect([retentionTruncated, nextCursor]).toEqual([true, 14])
    const behind = await readLog(source, { ...page, cursor: 9 })
    expect(behind.retentionTruncated).toBe(false)
  })

  test('bytes that are no text neither stop nor repeat', async () => {
    const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, at) => (at * 7) % 256))
    const pages = await allPages(sourceOf([['stdout', bytes]]))
    expect(pages.at(-1)?.nextCursor).toBe(bytes.length)
  })
})

describe('order of arrival', () => {
  test('streams that alternate a million times make it coarser, not longer', () => {
    const order = new ArrivalOrder()
    const byte = Buffer.from('x')
    for (let n = 0; n < 500_000; n += 1) {
      order.add('stdout', byte)
      order.add('stderr', byte)
    }
    const runs = order.runs()
    expect(runs.length).toBeLessThan(40_000)
    expect(runs.reduce((sum, length) => sum + length, 0)).toBe(1_000_000)
  })
})
