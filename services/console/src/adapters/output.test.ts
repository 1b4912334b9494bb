import { PassThrough, Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { createOutput } from './output.js'

const terminal = (): PassThrough => Object.assign(new PassThrough(), { isTTY: true })
const broken = (): Writable =>
  new Writable({
    write: (_chunk, _encoding, done) => {
      done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    },
  })

describe('output', () => {
  test('a pipe whose reader left ends the write with a reason, and every later one', async () => {
    const output = createOutput({ stdout: broken(), stderr: broken(), env: {} })
    output.note('nobody hears this')
    const closed = { code: 'cancelled', details: { reason: 'output_closed' } }
    await expect(output.write('x')).rejects.toMatchObject(closed)
    expect(output.closed.aborted).toBe(true)
    await expect(output.write('y')).rejects.toMatchObject(closed)
  })

  test('waits until a slow reader has room', async () => {
    const stdout = new PassThrough({ highWaterMark: 4 })
    const output = createOutput({ stdout, stderr: new PassThrough(), env: {} })
    let done = false
    const writing = (async () => {
      await output.write('12345678')
      await output.write('9')
      done = true
    })()
    await new Promise((resolve) => setImmediate(resolve))
    expect(done).toBe(false)
    stdout.resume()
    await writing
  })

  test('a terminal shows nothing while a question is on it, then everything in order', async () => {
    const stdout = terminal()
    const output = createOutput({ stdout, stderr: terminal(), env: {} })
    const release = output.hold()
    await output.write('a')
    await output.write('b')
    expect(stdout.readableLength).toBe(0)
    release()
    await output.write('c')
    expect(String(stdout.read())).toBe('abc')
  })

  test('a pipe is not held back by a question on the terminal', async () => {
    const stdout = new PassThrough()
    const output = createOutput({ stdout, stderr: terminal(), env: {} })
    output.hold()
    await output.write('a')
    expect(String(stdout.read())).toBe('a')
  })

  test.each([
    [true, {}, true],
    [true, { NO_COLOR: '1' }, false],
    [true, { TERM: 'dumb' }, false],
    [false, {}, false],
    [false, { FORCE_COLOR: '1' }, true],
  ])('terminal %s with %j colours: %s', (isTerminal, env, coloured) => {
    const stdout = isTerminal ? terminal() : new PassThrough()
    const { colors } = createOutput({ stdout, stderr: new PassThrough(), env })
    expect(colors.red('x') !== 'x').toBe(coloured)
  })
})
