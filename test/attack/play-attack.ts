import { delay } from '@sciencediscovery/service-kit'
import { commandLines } from '../../services/execution-runner/src/testing/runner-fixture.js'
import { type AttackCase, canary, type Evidence, mark } from './attack-case.js'
import { type Contestant } from './contestants/contestant.js'
import { type HostScene } from './host-scene.js'

/** What got through; undefined when the wall held. */
export type Breach = string | undefined

/** Plays one case and looks at everything it may have reached. */
export async function playAttack(
  contestant: Contestant,
  scene: HostScene,
  attack: AttackCase,
): Promise<Breach> {
  const startedAt = performance.now()
  const [{ results, workspaceBytes, collected }, seen] = await Promise.all([
    contestant.play(attack.steps(scene.target)),
    attack.meanwhile?.() ?? false,
  ])
  const tookMs = performance.now() - startedAt
  // What was killed needs a moment to leave the process table.
  await delay(50)
  const evidence: Evidence = {
    ...{ results, tookMs, workspaceBytes, target: scene.target },
    commandLines: (await commandLines()).replaceAll('\0', ' '),
    connections: scene.takeConnections(),
  }
  if (seen) return 'was seen on the host'
  const litter = await scene.takeLitter()
  if (litter.length > 0) return `wrote to the host: ${litter.join(', ')}`
  const shown = results.map(({ stdout, stderr }) => stdout + stderr).join('\n')
  if (shown.includes(canary)) return 'showed a secret of the host'
  if (collected.includes(canary)) return 'collected a secret of the host'
  const lines = results.flatMap(({ stdout }) => stdout.split('\n'))
  const marked = lines.find((line) => line.startsWith(mark))
  if (marked !== undefined) return marked
  return (await attack.wentThrough?.(evidence)) === true ? 'left its mark on the host' : undefined
}
