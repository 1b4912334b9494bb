import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EventLine, type TestStack, eventsOf, startTestStack } from '../harness/local-stack.js'
import { call, shell } from '../harness/story.js'

let stack: TestStack
beforeAll(async () => {
  stack = await startTestStack()
}, 120_000)
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
})

async function play(turns: unknown, ...options: readonly string[]): Promise<readonly EventLine[]> {
  const file = join(stack.dataDir, 'script.json')
  await writeFile(file, JSON.stringify({ turns }))
  const run = ['run', 'go', '--model', `scripted:${file}`, '--approve', 'always', '--json']
  return eventsOf(await stack.scid(...run, ...options))
}

const turn = (...toolCalls: unknown[]) => ({ text: 'next', toolCalls })
/** A script goes on where its session is: two turns are behind it. */
const played = [{ text: 'before' }, { text: 'before' }]
const typed = (events: readonly EventLine[], type: string) =>
  events.filter((event) => event.type === type).map(({ data }) => data)
const numbers = shell('s1', 'seq 1 5000 | sed "s/^/number /"')
const ref = '{{s1.details.toolOutput.ref}}'

describe('a kept output', () => {
  test('S-19, S-20: is read by its reference, in lines, characters and by search', async () => {
    const events = await play([
      turn(numbers),
      turn(call('o1', 'read_tool_output', { ref, query: 'number 4321' })),
      turn(call('o2', 'read_tool_output', { ref, offset: 2001 })),
      turn(call('o3', 'read_tool_output', { ref, charOffset: 0, charLimit: 16 })),
      turn(call('o4', 'read_tool_output', { ref, offset: 2001 })),
      { text: 'done' },
    ])
    const [stored] = typed(events, 'tool_output.stored')
    expect(stored).toMatchObject({ callId: 's1', lines: 5_000, tool: 'run_shell' })
    const results = typed(events, 'tool.call.completed')
    const textOf = (callId: string) => results.find((data) => data['callId'] === callId)?.['text']
    expect(textOf('o1')).toContain('[match 1 of 1: line 4321,')
    expect(textOf('o3')).toContain('number 1\nnumber ')
    expect(typed(events, 'tool_output.read').map((data) => data['callId'])).toEqual([
      ...['o1', 'o2', 'o3', 'o4'],
    ])
    const last = results.find((data) => data['callId'] === 'o4')
    expect(last).toMatchObject({
      isError: false,
      details: { readObservation: { pagesRead: 4, duplicatePage: true } },
    })
  })

  test('S-19: is found by a later run of its session and by no other session', async () => {
    const first = await play([turn(numbers), { text: 'done' }])
    const kept = String(typed(first, 'tool_output.stored')[0]?.['ref'])
    const sessionId = String(first[0]?.data['sessionId'])
    const read = turn(call('o1', 'read_tool_output', { ref: kept, query: 'number 77' }))
    const later = await play([...played, read, { text: 'done' }], '--session', sessionId)
    expect(typed(later, 'tool.call.completed')[0]).toMatchObject({
      isError: false,
      details: { readObservation: { pagesRead: 1, duplicatePage: false } },
    })
    const elsewhere = await play([read, { text: 'done' }])
    expect(typed(elsewhere, 'tool.call.completed')[0]).toMatchObject({ isError: true })
    expect(typed(elsewhere, 'tool.call.completed')[0]?.['text']).toContain('NOT_FOUND')
  })

  test('S-20: is still there after a restart', async () => {
    const first = await play([turn(numbers), { text: 'done' }])
    const kept = String(typed(first, 'tool_output.stored')[0]?.['ref'])
    await stack.restart()
    const read = turn(call('o1', 'read_tool_output', { ref: kept, query: 'number 78' }))
    const sessionId = String(first[0]?.data['sessionId'])
    const later = await play([...played, read, { text: 'done' }], '--session', sessionId)
    expect(typed(later, 'tool.call.completed')[0]).toMatchObject({ isError: false })
  })
})
