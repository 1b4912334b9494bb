import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PlatformError } from '@sciencediscovery/kernel'
import { waitFor } from '@sciencediscovery/service-kit'
import { addRun, startStack, type StackFixture } from '../stack-fixture.js'
import { invoke } from '../scid-fixture.js'
import { readEndpoint, removeEndpoint, writeEndpoint } from './endpoint-file.js'
import type { StartLocal } from './find-local.js'

const runId = 'r-3-00000000000000aa-default'
let dataDir = ''
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'scid-data-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

/** Starts the fixture as the local stack and remembers for which directories. */
function localStarter(): {
  startLocal: StartLocal
  started: { dataDir: string; stack: StackFixture; ended: boolean }[]
} {
  const started: { dataDir: string; stack: StackFixture; ended: boolean }[] = []
  const startLocal: StartLocal = async (options) => {
    const stack = await startStack()
    const entry = { dataDir: options.dataDir, stack, ended: false }
    started.push(entry)
    const { address, token } = stack
    const dispose = async (): Promise<void> => {
      await stack[Symbol.asyncDispose]()
      entry.ended = true
    }
    return { address, token, [Symbol.asyncDispose]: dispose }
  }
  return { startLocal, started }
}

describe('the local stack', () => {
  test('is started in this process when nobody holds the directory, and ended with the command', async () => {
    const { startLocal, started } = localStarter()
    const runs = invoke(['runs', '--json', '--data-dir', dataDir], { startLocal })
    expect(await runs.exit).toBe(0)
    expect(started).toMatchObject([{ dataDir, ended: true }])
  })

  test('of another process is used through its endpoint file', async () => {
    await using stack = await startStack()
    await writeEndpoint(dataDir, { pid: 7, address: stack.address, token: stack.token })
    const runs = invoke(['runs', '--json', '--data-dir', dataDir], { isHeld: () => true })
    expect(await runs.exit).toBe(0)
    expect(runs.stdout()).toBe('{"runs":[]}\n')
  })

  test('whose endpoint file is left over from a dead process is started anew', async () => {
    await writeEndpoint(dataDir, { pid: 7, address: '127.0.0.1:1', token: 'old' })
    const { startLocal, started } = localStarter()
    expect(await invoke(['runs', '--data-dir', dataDir], { startLocal }).exit).toBe(0)
    expect(started).toHaveLength(1)
  })

  test('whose holder is still starting is waited for', async () => {
    await using stack = await startStack()
    await writeEndpoint(dataDir, { pid: 7, address: '127.0.0.1:1', token: 'of the one before' })
    let looks = 0
    const isHeld = async (): Promise<boolean> => {
      looks += 1
      if (looks === 2)
        await writeEndpoint(dataDir, { pid: 8, address: stack.address, token: stack.token })
      return true
    }
    expect(await invoke(['runs', '--data-dir', dataDir], { isHeld }).exit).toBe(0)
  })

  test('that another process started first is joined', async () => {
    await using stack = await startStack()
    let held = false
    const startLocal: StartLocal = async () => {
      held = true
      await writeEndpoint(dataDir, { pid: 8, address: stack.address, token: stack.token })
      throw new PlatformError('unavailable', 'in use', { reason: 'directory_locked' })
    }
    expect(
      await invoke(['runs', '--data-dir', dataDir], { startLocal, isHeld: () => held }).exit,
    ).toBe(0)
  })

  test('whose lock another process only looked at is started all the same', async () => {
    const { startLocal, started } = localStarter()
    let looks = 0
    const startSecond: StartLocal = (options) => {
      looks += 1
      const locked = new PlatformError('unavailable', 'in use', { reason: 'directory_locked' })
      return looks === 1 ? Promise.reject(locked) : startLocal(options)
    }
    const runs = invoke(['runs', '--data-dir', dataDir], { startLocal: startSecond })
    expect(await runs.exit).toBe(0)
    expect(started).toHaveLength(1)
  })

  test('that cannot start says why, once', async () => {
    let starts = 0
    const startLocal: StartLocal = () => {
      starts += 1
      return Promise.reject(
        new PlatformError('unavailable', 'no flock here', { remedy: 'install util-linux' }),
      )
    }
    const runs = invoke(['runs', '--data-dir', dataDir], { startLocal })
    expect(await runs.exit).toBe(1)
    expect(runs.stderr()).toBe('scid: no flock here -- install util-linux\n')
    expect(starts).toBe(1)
  })

  test('that ends while it is watched is taken over, and no event is lost', async () => {
    const first = await startStack()
    addRun(first.world, runId).emit('run.started')
    await writeEndpoint(dataDir, { pid: 7, address: first.address, token: first.token })
    let held = true
    const { startLocal, started } = localStarter()
    const startResumed: StartLocal = async (options) => {
      const local = await startLocal(options)
      const run = addRun(started[0]!.stack.world, runId)
      run.emit('run.started')
      run.emit('run.completed')
      return local
    }
    const watch = invoke(['watch', runId, '--json', '--data-dir', dataDir], {
      startLocal: startResumed,
      isHeld: () => held,
    })
    await waitFor(() => watch.events().length === 1)
    held = false
    await first[Symbol.asyncDispose]()
    expect(await watch.exit).toBe(0)
    expect(watch.events().map(({ position }) => position)).toEqual([1, 2])
  })

  test('is in the directory that the environment names, by its new or its old name', async () => {
    const { startLocal, started } = localStarter()
    await invoke(['runs'], { startLocal, env: { SCIENCE_DISCOVERY_DATA_DIR: '/a/b' } }).exit
    const old = invoke(['runs'], { startLocal, env: { SCIENCE_AGENT_DATA_DIR: '/c/d' } })
    await old.exit
    await invoke(['runs'], { startLocal }).exit
    expect(started.map((each) => each.dataDir)).toEqual([
      '/a/b',
      '/c/d',
      join(process.cwd(), 'data'),
    ])
    expect(old.stderr()).toContain('SCIENCE_AGENT_DATA_DIR')
  })
})

describe('scid up', () => {
  test('starts the stack, prints its address and keeps it until it is told to stop', async () => {
    const { startLocal, started } = localStarter()
    const up = invoke(['up', '--data-dir', dataDir], { startLocal })
    await waitFor(() => up.stdout() !== '')
    expect(up.stdout()).toBe(`listening on ${started[0]?.stack.address}\n`)
    expect(started[0]?.ended).toBe(false)
    up.interrupt()
    expect(await up.exit).toBe(0)
    expect(started[0]?.ended).toBe(true)
  })

  test('a directory that has a stack is refused with its address', async () => {
    await writeEndpoint(dataDir, { pid: 7, address: '127.0.0.1:9', token: 't' })
    const up = invoke(['up', '--data-dir', dataDir], { isHeld: () => true })
    expect(await up.exit).toBe(1)
    expect(up.stderr()).toContain('process 7, listening on 127.0.0.1:9')
  })
})

describe('endpoint file', () => {
  test('is for its owner only, whole, and goes away', async () => {
    const endpoint = { pid: 7, address: '127.0.0.1:9', token: 't' }
    await writeEndpoint(dataDir, endpoint)
    expect((await stat(join(dataDir, 'endpoint.json'))).mode & 0o777).toBe(0o600)
    expect(await readdir(dataDir)).toEqual(['endpoint.json'])
    expect(await readEndpoint(dataDir)).toEqual(endpoint)
    await removeEndpoint(dataDir)
    expect(await readEndpoint(dataDir)).toBeUndefined()
  })
})
