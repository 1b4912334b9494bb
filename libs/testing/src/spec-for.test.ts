import { describe, expect, test } from 'vitest'
import { counterDecider, counterLimit, type CounterEvent } from './counter.js'
import { specFor } from './spec-for.js'

const given = specFor(counterDecider)
const added = (amount: number): CounterEvent => ({ type: 'counter.added', v: 1, data: { amount } })

describe('specFor', () => {
  test('states what a command makes happen, changes not, or is refused', () => {
    given().when({ type: 'Add', amount: 2 }).then(added(2))
    given(added(2)).when({ type: 'RaiseTo', total: 5 }).then(added(3))
    given(added(5)).when({ type: 'RaiseTo', total: 5 }).thenNothing()
    given(added(counterLimit)).when({ type: 'Add', amount: 1 }).thenRefused()
    given().when({ type: 'Add', amount: -1 }).thenRefused('invalid')
  })

  test('fails when something else happens', () => {
    const outcome = given(added(2)).when({ type: 'Add', amount: 1 })
    expect(() => {
      outcome.then(added(2))
    }).toThrow()
    expect(() => {
      outcome.thenNothing()
    }).toThrow()
    expect(() => {
      outcome.thenRefused()
    }).toThrow('not refused')
  })
})
