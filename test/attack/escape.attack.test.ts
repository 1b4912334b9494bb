import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AttackCase, canary } from './attack-case.js'
import { exhaustion } from './cases/exhaustion.js'
import { identity } from './cases/identity.js'
import { inheritance } from './cases/inheritance.js'
import { links } from './cases/links.js'
import { reach } from './cases/reach.js'
import { systemCalls } from './cases/system-calls.js'
import { type Contestant } from './contestants/contestant.js'
import { startRunner } from './contestants/execution-runner.js'
import { rawBubblewrap, sandboxRuntime } from './contestants/peers.js'
import { endLeftovers } from './contestants/wrapped-command.js'
import { type HostScene, setScene } from './host-scene.js'
import { playAttack } from './play-attack.js'

const cases: readonly AttackCase[] = [
  ...links,
  ...identity,
  ...systemCalls,
  ...reach,
  ...inheritance,
  ...exhaustion,
]
let scene: HostScene
const scores: string[] = []

beforeAll(async () => {
  process.env.SCI_ATTACK_SECRET = canary
  scene = await setScene()
})
afterAll(async () => {
  await scene[Symbol.asyncDispose]()
  delete process.env.SCI_ATTACK_SECRET
  process.stderr.write(`\nS1, blocked of ${cases.length}:\n${scores.join('\n')}\n`)
})

describe('S1 the runner blocks', () => {
  let runner: Contestant
  const held = { count: 0 }
  beforeAll(async () => {
    runner = await startRunner()
  })
  afterAll(async () => {
    await runner[Symbol.asyncDispose]()
    scores.push(`  ${runner.name}: ${held.count}`)
  })

  test.each(cases)('$name', async (attack) => {
    const breach = await playAttack(runner, scene, attack)
    expect(breach).toBeUndefined()
    held.count += 1
  })
})

describe('S1 peers, for comparison', () => {
  test.each([
    ['bwrap --ro-bind / /', () => Promise.resolve(rawBubblewrap())],
    ['sandbox-runtime', sandboxRuntime],
  ])(
    '%s is played the same cases',
    async (name, start) => {
      const peer = await start()
      if (!peer) {
        scores.push(`  ${name}: not measured, 'make bench' installs it`)
        return
      }
      // A wall behind which nothing runs would hold everything.
      const [alive] = (await peer.play([{ script: 'echo alive' }])).results
      expect(alive).toMatchObject({ stdout: 'alive\n', exitCode: 0 })
      const breaches: string[] = []
      for (const attack of cases) {
        const breach = await playAttack(peer, scene, attack)
        if (breach !== undefined) breaches.push(attack.name)
        await endLeftovers()
      }
      await peer[Symbol.asyncDispose]()
      const through = breaches.map((each) => `\n      ${each}`).join('')
      scores.push(`  ${name}: ${cases.length - breaches.length}, through:${through}`)
    },
    600_000,
  )
})
