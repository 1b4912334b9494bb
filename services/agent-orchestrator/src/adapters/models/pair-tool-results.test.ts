import { describe, expect, test } from 'vitest'
import { type ModelMessage } from '../../model-provider.js'
import { pairToolResults } from './pair-tool-results.js'

const asks = (...ids: string[]): ModelMessage => ({
  role: 'assistant',
  text: '',
  toolCalls: ids.map((id) => ({ id, name: 'x', argumentsText: '{}' })),
})
const result = (callId: string, text = callId): ModelMessage => ({
  role: 'tool',
  callId,
  name: 'x',
  text,
  isError: false,
})
const says = (text: string): ModelMessage => ({ role: 'user', text })

/** A conversation in one line: calls as ?id, results as id=text, user text in quotes. */
const line = (messages: readonly ModelMessage[]): string =>
  messages
    .map((message) => {
      if (message.role === 'assistant')
        return message.toolCalls.map(({ id }) => `?${id}`).join('') || '-'
      if (message.role === 'tool')
        return `${message.callId}=${message.isError ? '!' : ''}${message.text}`
      return `"${message.text.replaceAll('\n', '/')}"`
    })
    .join(' ')

describe('pairing of tool results (BR-062)', () => {
  test.each([
    [
      'nothing to do',
      [says('a'), asks('c1', 'c2'), result('c1'), result('c2'), asks()],
      '"a" ?c1?c2 c1=c1 c2=c2 -',
    ],
    [
      'results come in call order',
      [asks('c1', 'c2'), result('c2'), result('c1')],
      '?c1?c2 c1=c1 c2=c2',
    ],
    [
      'a missing result is interrupted',
      [asks('c1', 'c2'), result('c2'), says('stop')],
      '?c1?c2 c1=!interrupted: there is no result of this call c2=c2 "stop"',
    ],
    [
      'text between call and result moves behind',
      [asks('c1'), says('hm'), result('c1')],
      '?c1 c1=c1 "hm"',
    ],
    ['the first result wins', [asks('c1'), result('c1', 'one'), result('c1', 'two')], '?c1 c1=one'],
    [
      'a result without its call stays readable',
      [result('c0', 'old'), says('a')],
      '"[result of an earlier call of x]/old" "a"',
    ],
    [
      'a late result stays readable',
      [asks('c1'), asks(), result('c1', 'late')],
      '?c1 c1=!interrupted: there is no result of this call - "[result of an earlier call of x]/late"',
    ],
    [
      'an id that comes again is made new',
      [asks('c'), result('c', 'one'), asks('c'), result('c', 'two')],
      '?c c=one ?c_2 c_2=two',
    ],
    [
      'an id twice in one turn',
      [asks('c', 'c'), result('c', 'one'), result('c', 'two')],
      '?c?c_2 c=one c_2=two',
    ],
    ['an empty id gets a name', [asks(''), result('')], '?call call='],
  ])('%s', (_case, messages, expected) => {
    expect(line(pairToolResults(messages))).toBe(expected)
  })

  test('ids are spelled as the service wants them, and stay apart', () => {
    const messages = [asks('a.b', 'a:b'), result('a:b', 'second'), result('a.b', 'first')]
    expect(line(pairToolResults(messages, (id) => id.replace(/\W/g, '_')))).toBe(
      '?a_b?a_b_2 a_b=first a_b_2=second',
    )
  })
})
