import { describe, expect, test } from 'vitest'
import { isTopicOf, refuseBadTopic } from './topic.js'
import { nounOf, streamOfSubject, streamsOfNoun } from './topology.js'

describe('topology', () => {
  test('runs are spread over shards, everything else has one stream', () => {
    expect(streamsOfNoun('runs', 3)).toEqual(['RUNS_0', 'RUNS_1', 'RUNS_2'])
    expect(streamsOfNoun('mcp-invocations', 3)).toEqual(['MCP_INVOCATIONS'])
    expect(streamOfSubject('runs.2.p1.r1', 3)).toBe('RUNS_2')
    expect(streamOfSubject('sessions.p1.s1', 3)).toBe('SESSIONS')
  })

  test.each(['runs.3.p1.r1', 'runs.x.p1.r1', 'runs.-1.p1.r1'])(
    '%s is no shard of three',
    (subject) => {
      expect(() => streamOfSubject(subject, 3)).toThrow('0 … 2')
    },
  )

  test.each([
    '',
    'runs',
    'sessions.*',
    'sessions.>',
    'sessions..s1',
    'sessions.a b',
    'sessions.\0',
    `s.${'x'.repeat(600)}`,
  ])('BR-087: %j names no aggregate', (subject) => {
    expect(() => nounOf(subject)).toThrow('does not name one aggregate')
  })
})

describe('topics', () => {
  test('a star stands for one token', () => {
    expect(isTopicOf('live.run-1', 'live.*')).toBe(true)
    expect(isTopicOf('live.run-1.x', 'live.*')).toBe(false)
    expect(isTopicOf('live', 'live.*')).toBe(false)
    expect(isTopicOf('live.run-1', 'live.run-2')).toBe(false)
  })

  test.each(['', 'a..b', 'a.>', 'a b', 'a.\n'])('%j is no topic', (topic) => {
    expect(() => {
      refuseBadTopic(topic, true)
    }).toThrow('is no topic')
  })

  test('a star may be asked for, not sent', () => {
    refuseBadTopic('live.*', true)
    expect(() => {
      refuseBadTopic('live.*', false)
    }).toThrow('is no topic')
  })
})
