import { PlatformError } from '@sciencediscovery/kernel'
import { ToolServiceService } from '@sciencediscovery/proto-gen/tools/v1/tools_service'
import { connectChannel, rpcClient } from '@sciencediscovery/service-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type GatewayFixture, allowed, place, startGateway } from '../testing/gateway-fixture.js'

let gateway: GatewayFixture
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})
beforeEach(() => {
  gateway.files.files.clear()
  gateway.files.asked.length = 0
})

const write = '{"path":"report.md","content":"# Report\\n"}'

describe('a call without leave', () => {
  test('X-10: asks for the class of the tool and does nothing', async () => {
    const step = await gateway.call({ name: 'write_file', argumentsText: write })
    expect(step).toEqual({
      $case: 'permissionRequired',
      value: {
        action: 'code',
        resource: 'workspace-code',
        summary: 'write report.md (9 bytes)',
      },
    })
    expect(gateway.files.asked).toEqual([])
  })

  test('X-10: bad arguments are told before anybody is asked', async () => {
    const step = await gateway.call({ name: 'write_file', argumentsText: '{"path":"a",}' })
    expect(step).toMatchObject({ $case: 'result', value: { isError: true } })
  })

  test('X-10: reading needs none', async () => {
    gateway.files.files.set('a.txt', Buffer.from('one\n'))
    const step = await gateway.call({ name: 'read_file', argumentsText: '{"path":"a.txt"}' })
    expect(step).toMatchObject({ $case: 'result', value: { text: 'one\n', isError: false } })
  })

  test('X-10: leave for something else is refused and does nothing', async () => {
    const authorization = { ...allowed, resource: 'host-files' }
    await expect(
      gateway.call({ name: 'write_file', argumentsText: write, authorization }),
    ).rejects.toMatchObject({ code: 'refused', details: { reason: 'authorization_mismatch' } })
    expect(gateway.files.asked).toEqual([])
  })
})

describe('a tool that is not there', () => {
  test('X-01: an unknown name is an error result that lists what there is', async () => {
    const answer = await gateway.result('delete_everything', {})
    expect(answer.isError).toBe(true)
    expect(answer.text).toContain('UNKNOWN_TOOL: there is no tool "delete_everything"')
    expect(answer.text).toContain(
      'read_file, read_tool_output, run_shell, workspace_transfer, write_file',
    )
  })

  test('X-09: a denied tool answers as if it did not exist and is not offered', async () => {
    const toolPolicy = { allow: ['read_file', 'run_shell'], deny: ['run_shell'] }
    const context = { ...place, toolPolicy }
    const denied = await gateway.result('run_shell', { command: 'echo x' }, { context })
    expect(denied.text).toBe(
      'UNKNOWN_TOOL: there is no tool "run_shell"; call one of the offered tools: read_file',
    )
    const { tools } = await gateway.tools.listTools({ profile: 'science', toolPolicy })
    expect(tools.map(({ name }) => name)).toEqual(['read_file'])
  })

  test('the unknown name may be anything', async () => {
    const answer = await gateway.result('\u0000"; --', {})
    expect(answer.isError).toBe(true)
  })
})

describe('arguments that cannot be used', () => {
  test('BR-059: text that does not parse reaches no owner', async () => {
    const answer = await gateway.result('read_file', '{"path": "notes.md",}')
    expect(answer).toMatchObject({
      isError: true,
      details: { ok: false, error: { code: 'INVALID_TOOL_ARGUMENTS', retryable: true } },
    })
    expect(answer.text).toContain('line 1, column 20')
    expect(gateway.files.asked).toEqual([])
  })

  test('2 MiB of arguments work, 9 MiB are refused with the limit', async () => {
    const large = { path: 'large.txt', content: 'x'.repeat(2 * 1024 * 1024) }
    expect((await gateway.result('write_file', large)).isError).toBe(false)
    const huge = { path: 'huge.txt', content: 'x'.repeat(9 * 1024 * 1024) }
    const answer = await gateway.result('write_file', huge)
    expect(answer.text).toContain('over the limit of 8388608 bytes')
    expect([...gateway.files.files.keys()]).toEqual(['large.txt'])
  })

  test('an empty call key and a missing place name the field', async () => {
    await expect(gateway.call({ callKey: '', name: 'list_files' })).rejects.toMatchObject({
      code: 'invalid',
      details: { field: 'call_key' },
    })
    const context = { ...place, workspaceId: '' }
    await expect(gateway.call({ context, name: 'list_files' })).rejects.toMatchObject({
      code: 'invalid',
      details: { field: 'context.workspaceId' },
    })
    const other = { ...place, profile: 'klingon' }
    await expect(gateway.call({ context: other, name: 'list_files' })).rejects.toMatchObject({
      code: 'invalid',
      details: { field: 'profile' },
    })
  })
})

describe('an owner that fails', () => {
  test('X-12: an open outcome fails the call, and asking again does it once', async () => {
    const lost = new PlatformError('unknown', 'the append was not answered')
    gateway.files.failures.push(lost)
    const request = { callKey: 'run-1/lost', name: 'write_file', argumentsText: write }
    const ask = { ...request, authorization: allowed }
    await expect(gateway.call(ask)).rejects.toMatchObject({ code: 'unknown' })
    const again = await gateway.call({ ...ask, attempt: 2 })
    const twice = await gateway.call({ ...ask, attempt: 3 })
    expect(again).toMatchObject({ $case: 'result', value: { isError: false } })
    expect(twice).toEqual(again)
  })

  test('X-12: the effect key comes from the call key, not from the model', async () => {
    const key = async (callKey: string): Promise<unknown> => {
      gateway.files.files.clear()
      gateway.files.asked.length = 0
      await gateway.result('write_file', write, { callKey })
      return gateway.files.asked[0]?.request
    }
    const one = await key('run-1/key')
    const other = await key('run-2/key')
    expect(one).not.toMatchObject({ effectKey: (other as { effectKey: string }).effectKey })
    expect(await key('run-1/key')).toMatchObject(one as object)
  })

  test('a short absence of the owner is not seen by the caller', async () => {
    gateway.files.failures.push(new PlatformError('unavailable', 'moving'))
    const answer = await gateway.result('write_file', write, { callKey: 'run-1/absence' })
    expect(answer.isError).toBe(false)
  })

  test('X-01: an error of the owner becomes a result with code, field and remedy', async () => {
    const answer = await gateway.result('read_file', { path: 'missing.txt' })
    expect(answer.text).toBe('NOT_FOUND: missing.txt not found; list_files shows what is there')
    expect(answer.isError).toBe(true)
  })

  test('a busy workspace is told as retryable', async () => {
    const busy = new PlatformError('refused', 'execution e-1 is writing', {
      reason: 'workspace_busy',
      remedy: 'wait for it with execution_status',
    })
    gateway.files.failures.push(busy)
    const answer = await gateway.result('write_file', write, { callKey: 'run-1/busy' })
    expect(answer).toMatchObject({
      text: 'workspace_busy: execution e-1 is writing; wait for it with execution_status',
      details: { error: { code: 'workspace_busy', retryable: true } },
    })
  })

  test('BR-061: an owner that breaks down gives a result with words', async () => {
    gateway.files.failures.push(new Error(''))
    const answer = await gateway.result('list_files', {})
    expect(answer.isError).toBe(true)
    expect(answer.text).toMatch(/^TOOL_EXECUTION_FAILED: list_files failed: \w+/)
  })
})

describe('the caller', () => {
  test('who leaves ends the call', async () => {
    const leaving = new AbortController()
    const argumentsText = '{"command":"hang","wait_ms":30000}'
    const request = {
      callKey: 'run-1/leaving',
      context: place,
      name: 'run_shell',
      argumentsText,
      authorization: allowed,
      attempt: 1,
    }
    const call = (async () => {
      for await (const step of gateway.tools.invoke(request, { signal: leaving.signal })) {
        expect(step).toBeUndefined()
      }
    })()
    const { executions } = gateway.executions
    await expect.poll(() => executions.size).toBe(1)
    leaving.abort()
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
  })

  test('without a token is refused', async () => {
    using stranger = connectChannel(gateway.address)
    const tools = rpcClient(ToolServiceService, stranger)
    const answer = tools.listTools({ profile: 'science', toolPolicy: undefined })
    await expect(answer).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})
