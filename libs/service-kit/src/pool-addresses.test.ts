import { describe, expect, test } from 'vitest'
import { poolAddresses } from './pool-addresses.js'

describe('poolAddresses', () => {
  test.each([
    ['default=runner:7000', { default: 'runner:7000' }],
    ['default=a:1, gpu=b:2', { default: 'a:1', gpu: 'b:2' }],
    ['default=10.0.0.1:1,10.0.0.2:2,gpu=b:3', { default: '10.0.0.1:1,10.0.0.2:2', gpu: 'b:3' }],
    ['local=unix:/tmp/x.sock', { local: 'unix:/tmp/x.sock' }],
  ])('%s', (text, pools) => {
    expect(poolAddresses.parse(text)).toEqual(pools)
  })

  test.each(['', 'runner:7000', 'A=b:1', 'a=', 'a=b:1,', 'a=b=c'])('%j is refused', (text) => {
    expect(poolAddresses.safeParse(text).error?.issues[0]?.message).toContain('send POOL=ADDRESS')
  })
})
