import { setEnvironment } from './config.js'

/** Sets variables of this process until it is disposed; services read them when they start. */
export function withEnvironment(variables: Readonly<Record<string, string>>): Disposable {
  const before = Object.entries(variables).map(
    ([name, value]) => [name, setEnvironment(name, value)] as const,
  )
  return {
    [Symbol.dispose]: () => {
      for (const [name, value] of before) setEnvironment(name, value)
    },
  }
}
