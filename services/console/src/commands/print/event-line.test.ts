import { describe, expect, test } from 'vitest'
import { usageText } from './event-line.js'

const usage = {
  modelTurns: 4,
  inputTokens: 10,
  outputTokens: 20,
  costUsd: 0.0312,
  unpricedTurns: 0,
}

describe('tokens and money', () => {
  test('a cost that is known is a figure', () => {
    expect(usageText(usage)).toBe('4 model turns · 10 tokens in · 20 out · $0.0312')
  })

  test('a cost that is known in part is a lower bound', () => {
    expect(usageText({ ...usage, unpricedTurns: 1 })).toContain(
      'at least $0.0312 (1 turns without a price)',
    )
  })

  test('a cost without any price is said to be unknown', () => {
    expect(usageText({ ...usage, costUsd: 0, unpricedTurns: 4 })).toContain('cost unknown')
  })
})
