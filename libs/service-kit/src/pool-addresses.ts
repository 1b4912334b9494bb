import { z } from 'zod'

/**
 * Address by runner pool: `default=runner:7000,gpu=runner-gpu:7000`. A pool with several addresses names
 * them one after the other: `default=10.0.0.1:7000,10.0.0.2:7000`.
 */
export const poolAddresses = z.codec(z.string(), z.record(z.string(), z.string()), {
  decode: (text, context) => {
    const pools = toPools(text)
    if (pools !== undefined) return Object.fromEntries(pools)
    const message =
      'send POOL=ADDRESS, separated by commas; a further address of a pool without POOL='
    context.issues.push({ code: 'custom', input: '', message })
    return z.NEVER
  },
  encode: (pools) =>
    Object.entries(pools)
      .map((pair) => pair.join('='))
      .join(','),
})

function toPools(text: string): ReadonlyMap<string, string> | undefined {
  const pools = new Map<string, string>()
  let current = ''
  for (const part of text.split(',')) {
    const [, pool = current, address] = /^\s*(?:([a-z0-9]{1,32})=)?([^\s=]+?)\s*$/.exec(part) ?? []
    if (pool === '' || address === undefined) return undefined
    const earlier = pool === current ? pools.get(pool) : undefined
    pools.set(pool, earlier === undefined ? address : `${earlier},${address}`)
    current = pool
  }
  return pools
}
