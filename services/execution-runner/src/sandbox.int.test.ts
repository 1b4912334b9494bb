import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ExecutionState } from '@sciencediscovery/proto-gen/executions/v1/executions'
import { Severity } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createWorld,
  outputOf,
  type Replica,
  workspaceId,
  type World,
} from './testing/runner-fixture.js'

const canary = 'canary-7f3a'
let world: World
let replica: Replica

beforeAll(async () => {
  process.env.SCI_TEST_KEY = canary
  world = await createWorld()
  replica = await world.startReplica('one', {
    sandbox: {
      ...{ memoryBytes: 64 * 1024 ** 2, processes: 32, maxWorkspaceBytes: 32 * 1024 ** 2 },
      maxOutputBytes: 1024 ** 2,
      cpuSeconds: 2,
    },
  })
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  delete process.env.SCI_TEST_KEY
})

const shell = async (command: string) => {
  const { stdoutPreview, stderrPreview, exitCode, reason } = await replica.run(command)
  return { out: stdoutPreview, err: stderrPreview, exitCode, reason }
}

describe('sandbox › probe', () => {
  test('every part was tried and holds; doctor shows it', async () => {
    const { findings, service } = await replica.operations.diagnose({})
    expect(service).toBe('execution-runner')
    const bad = findings.filter(
      ({ name, severity }) => name.startsWith('sandbox:') && severity !== Severity.SEVERITY_OK,
    )
    // Debian 12 has no newer one: it is warned of, and changes nothing about the wall.
    expect(bad.filter(({ name }) => name !== 'sandbox:bubblewrap version')).toEqual([])
    expect(findings.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'sandbox:network',
        'sandbox:memory',
        'sandbox:seccomp',
        'disk',
        'event-store',
      ]),
    )
    expect((await replica.files.listRunners({})).runners).toEqual([
      { runnerId: 'local', replicas: 1, sandbox: 'bwrap' },
    ])
  })

  test('without bubblewrap nothing is executed, and files still work', async () => {
    const bare = await world.startReplica('bare', { sandbox: { bwrapPath: '/nonexistent/bwrap' } })
    const { findings } = await bare.operations.diagnose({})
    expect(findings[0]).toMatchObject({
      name: 'sandbox:bubblewrap',
      severity: Severity.SEVERITY_ERROR,
    })
    expect((await bare.files.listRunners({})).runners[0]?.sandbox).toContain('none: bubblewrap')
    await bare[Symbol.asyncDispose]()
  })
})

describe('sandbox › walls', () => {
  test('BR-031: no secret of the control plane is in it', async () => {
    const { out } = await shell(
      'env; cat /proc/self/environ /proc/1/environ; ps auxww; cat /proc/*/cmdline',
    )
    expect(out).not.toContain(canary)
    expect(out).toContain('HOME=/home/scientist')
    expect(out).toContain('LANG=C.UTF-8')
    expect(out).toContain('SCIENCEDISCOVERY_WORKSPACE=/workspace')
  })

  test.each([
    ['X10: no network', 'exec 3<>/dev/tcp/127.0.0.1/22'],
    ['X10: no vsock', `/usr/bin/python3 -c 'import socket; socket.socket(40, socket.SOCK_STREAM)'`],
    ['X4: no user namespace', 'unshare -U true'],
    [
      'X4: no ptrace',
      `/usr/bin/python3 -c 'import ctypes,sys; sys.exit(ctypes.CDLL(None).ptrace(0,0,0,0) != 0)'`,
    ],
    [
      'X4: no keyring',
      `/usr/bin/python3 -c 'import ctypes,sys; sys.exit(ctypes.CDLL(None).syscall(250,0,0) < 0)'`,
    ],
    [
      'X4: no io_uring',
      `/usr/bin/python3 -c 'import ctypes,sys; sys.exit(ctypes.CDLL(None).syscall(425,1,0) < 0)'`,
    ],
    ['X4: no mount', 'mount -t tmpfs none /tmp'],
    ['X3: not root', '[ "$(id -u)" = 0 ]'],
    ['X5: no sockets of the host', 'ls /run /var/run'],
    ['X7: no kernel settings', 'echo 1 > /proc/sys/kernel/panic'],
    ['X7: no /sys', 'ls /sys'],
    ['the system is read-only', 'touch /usr/x || touch /etc/x || touch /x'],
    ['no files of the host', 'ls /root /work /var /home/root'],
  ])('%s', async (_, command) => {
    expect((await shell(command)).exitCode).not.toBe(0)
  })

  test('X6: three descriptors, of nobody else', async () => {
    const { out } = await shell('for n in {0..255}; do [ -e /proc/$$/fd/$n ] && echo $n; done')
    expect(out).toBe('0\n1\n2\n')
  })

  test('/dev/stdout can be opened again; home and tmp are its own and gone afterwards', async () => {
    const { out } = await shell(
      'echo x > /dev/stdout; touch ~/a /tmp/a /dev/shm/a && ls ~ /tmp /dev/shm | grep -c a',
    )
    expect(out).toMatch(/^x\n[3-9]/)
    expect((await shell('ls -A ~ /tmp /dev/shm')).out).not.toContain('\na\n')
  })

  test('D4: a link planted by one execution does not lead the set-up of the next one out', async () => {
    const target = join(world.directory, 'target')
    await mkdir(target)
    await shell(
      `rm -rf etc tmp home dev; for n in etc tmp home dev proc usr opt; do ln -s ${target} $n; done; ls -l`,
    )
    const { exitCode } = await shell('true')
    expect(exitCode).toBe(0)
    expect(await readdir(target)).toEqual([])
    await shell('rm -f etc tmp home dev proc usr opt')
  })

  test('D4: the snapshot neither follows links nor stores what they point at', async () => {
    const secret = join(world.directory, 'secret.txt')
    await writeFile(secret, 'host secret')
    const { createdFiles } = await replica.run(
      `ln -s ${secret} leak; ln -s ${world.directory} leaks; echo ok > ok.txt`,
    )
    expect(createdFiles).toEqual(['ok.txt'])
  })
})

describe('sandbox › limits', () => {
  test.each([
    [
      'memory_limit',
      'memory limit of 64 MiB',
      'head -c 200000000 /dev/zero | tail -c 200000000 > /dev/null; exit ${PIPESTATUS[1]}',
    ],
    [
      'process_limit',
      'process limit of 32',
      "/usr/bin/python3 -c 'import os,time\nfor n in range(100):\n  if os.fork() == 0: time.sleep(5); os._exit(0)'".replaceAll(
        '\\n',
        '\n',
      ),
    ],
    ['cpu_limit', 'CPU limit of 2 s', 'while :; do :; done'],
    ['file_size_limit', 'file size limit of 32 MiB', 'exec head -c 100000000 /dev/zero > large'],
    [
      'workspace_limit',
      'workspace size limit of 32 MiB',
      'for n in $(seq 8); do head -c 20000000 /dev/zero > part$n; done; sleep 20',
    ],
  ])('S-07: %s is told with its value', async (reason, words, command) => {
    const execution = await replica.run(command)
    expect(execution).toMatchObject({
      ...{ state: ExecutionState.EXECUTION_STATE_FAILED, reason },
      explanation: expect.stringContaining(words),
    })
    const again = await replica.executions.waitExecution({
      ...{ projectId: 'p1', workspaceId, runnerId: 'local', waitMs: 0 },
      executionId: execution.executionId,
    })
    expect(again.execution).toEqual(execution)
    expect(await replica.run('rm -f large part*')).toMatchObject({ exitCode: 0 })
  })

  test('workspace size: also when it was passed too quickly to be seen', async () => {
    const command = 'for n in 1 2; do head -c 20000000 /dev/zero > part$n; done'
    const { exitCode, reason } = await replica.run(command)
    expect([exitCode, reason]).toEqual([expect.any(Number), 'workspace_limit'])
    // What is too large already may shrink.
    expect(await replica.run('sleep 0.6; rm part1; sleep 0.6')).toMatchObject({ exitCode: 0 })
    await replica.run('rm part2')
  })

  test('retained output keeps head and tail', async () => {
    const execution = await replica.run('seq 1 1000000')
    expect(execution).toMatchObject({ exitCode: 0, stdoutBytes: 6_888_896n, outputTruncated: true })
    expect(execution.retentionTruncated).toBe(true)
    const retained = (await outputOf(replica, execution.executionId)).toString()
    expect(retained.length).toBe(1024 ** 2)
    expect(retained.startsWith('1\n2\n3\n')).toBe(true)
    expect(retained.endsWith('999999\n1000000\n')).toBe(true)
  })
})

describe('sandbox › flood', () => {
  test('BR-026: 200 MB of output take less than 64 MiB of memory', async () => {
    const flood = await world.startReplica('flood')
    await replica[Symbol.asyncDispose]()
    const samples: number[] = []
    const rss = () => process.memoryUsage().rss
    const before = rss()
    const timer = setInterval(() => samples.push(rss()), 50)
    const execution = await flood.run('yes 0123456789 | head -c 200000000', { waitMs: 60_000 })
    clearInterval(timer)
    expect(execution).toMatchObject({ exitCode: 0, stdoutBytes: 200_000_000n })
    expect(execution.stdoutPreview.startsWith('0123456789\n')).toBe(true)
    expect(execution.stdoutPreview.endsWith('\n01')).toBe(true)
    expect(Buffer.byteLength(execution.stdoutPreview)).toBeLessThanOrEqual(16 * 1024)
    expect((Math.max(...samples) - before) / 1024 ** 2).toBeLessThan(64)
    const { executionId } = execution
    let sizeBytes = 0
    const range = { stream: 'stdout', offset: 0n, length: 0n, follow: false }
    const where = {
      projectId: 'p1',
      workspaceId: 'w-local-0123456789abcdef-p1',
      runnerId: 'local',
      executionId,
    }
    for await (const { content } of flood.executions.readOutput({ ...where, ...range }))
      sizeBytes += content.length
    expect(sizeBytes).toBe(200_000_000)
  })
})
