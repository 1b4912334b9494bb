import { describe, expect, test } from 'vitest'
import { createLifecycle } from './lifecycle.js'

describe('lifecycle', () => {
  test('takes down in reverse, each once, waiting for each', async () => {
    const order: string[] = []
    const lifecycle = createLifecycle()
    const database = lifecycle.use({
      name: 'database',
      async [Symbol.asyncDispose]() {
        await Promise.resolve()
        order.push('database')
      },
    })
    lifecycle.use({ [Symbol.dispose]: () => void order.push('channel') })
    lifecycle.defer(() => order.push('server'))
    expect(database.name).toBe('database')
    await lifecycle[Symbol.asyncDispose]()
    await lifecycle[Symbol.asyncDispose]()
    expect(order).toEqual(['server', 'channel', 'database'])
  })

  test('one that throws stops none of the others, and is thrown at the end', async () => {
    const order: string[] = []
    const lifecycle = createLifecycle()
    lifecycle.defer(() => order.push('first built'))
    lifecycle.defer(() => Promise.reject(new Error('stuck')))
    lifecycle.defer(() => order.push('last built'))
    await expect(lifecycle[Symbol.asyncDispose]()).rejects.toThrow('stuck')
    expect(order).toEqual(['last built', 'first built'])
  })

  test('several that throw are thrown together', async () => {
    const lifecycle = createLifecycle()
    lifecycle.defer(() => {
      throw new Error('one')
    })
    lifecycle.defer(() => Promise.reject(new Error('two')))
    const failure = await lifecycle[Symbol.asyncDispose]().then(
      undefined,
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(AggregateError)
    expect(failure).toMatchObject({ errors: [{ message: 'two' }, { message: 'one' }] })
  })

  test('what was built before a failure is taken down when the scope ends', async () => {
    const order: string[] = []
    const build = async (): Promise<void> => {
      await using lifecycle = createLifecycle()
      lifecycle.defer(() => order.push('closed'))
      throw new Error('cannot build the rest')
    }
    await expect(build()).rejects.toThrow('cannot build the rest')
    expect(order).toEqual(['closed'])
  })
})
