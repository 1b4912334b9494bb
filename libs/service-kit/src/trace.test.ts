import { AsyncLocalStorage } from 'node:async_hooks'
import { context, ROOT_CONTEXT, type Context, type ContextManager } from '@opentelemetry/api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inSpan, traceparentOf, withTraceparent } from './trace.js'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

/** What the SDK installs at boot: contexts that follow the call. */
function createContexts(): ContextManager {
  const storage = new AsyncLocalStorage<Context>()
  const contexts: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (given, fn, thisArg, ...args) => storage.run(given, () => fn.apply(thisArg, args)),
    bind: (_given, target) => target,
    enable: () => contexts,
    disable: () => contexts,
  }
  return contexts
}

describe('trace', () => {
  beforeAll(() => void context.setGlobalContextManager(createContexts()))
  afterAll(() => {
    context.disable()
  })

  test('a trace context that came in can be sent on', async () => {
    expect(traceparentOf()).toBeUndefined()
    const inside = await withTraceparent(traceparent, async () => {
      await Promise.resolve()
      return traceparentOf()
    })
    expect(inside).toBe(traceparent)
    expect(traceparentOf()).toBeUndefined()
  })

  test.each([
    undefined,
    '',
    'junk',
    `${traceparent}-extra`,
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    '00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01',
  ])('%j starts nothing', (malformed) => {
    expect(withTraceparent(malformed, () => traceparentOf())).toBeUndefined()
  })

  test('a span gives the result, or the error, of what ran in it', async () => {
    expect(await inSpan('decide', { stage: 'x' }, () => Promise.resolve(7))).toBe(7)
    const failure = new Error('no')
    await expect(inSpan('decide', {}, () => Promise.reject(failure))).rejects.toBe(failure)
  })
})
