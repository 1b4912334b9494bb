import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventLine, eventsOf, type Outcome } from '../harness/local-stack.js'
import { type Expectation } from './expectation.js'

/** A platform that command lines can be given to, local or distributed. */
export interface Platform {
  scid(...args: readonly string[]): Promise<Outcome>
}

/** A scenario that was played to its end. */
export interface Played {
  readonly expectation: Expectation
  readonly events: readonly EventLine[]
  readonly sessionId: string
  readonly projectId: string
  /** The JSON that a command prints; throws with its errors when it fails. */
  json(...args: readonly string[]): Promise<unknown>
  /** The bytes that a command writes to the file it is given last. */
  bytes(...args: readonly string[]): Promise<Buffer>
}

/** Plays the drive of a scenario in a project of its own. */
export async function playScenario(
  platform: Platform,
  expectation: Expectation,
): Promise<Played> {
  const projectId = expectation.id.toLowerCase()
  const uploads = expectation.drive.some((step) => step.do === 'upload') ? expectation.inputs : []
  const outcome = await platform.scid(
    ...['run', expectation.goal, '--json', '--approve', 'always'],
    ...['--profile', expectation.profile, '--project', projectId],
    ...['--model', `scripted:${join(import.meta.dirname, expectation.script)}`],
    ...uploads.flatMap(({ from, upload }) => [
      '--input',
      `${join(import.meta.dirname, 'data', from)}=${upload}`,
    ]),
  )
  if (outcome.code !== 0) throw new Error(`${expectation.id}: ${outcome.stderr}${outcome.stdout}`)
  const events = eventsOf(outcome)
  const succeed = async (args: readonly string[]): Promise<Outcome> => {
    const given = await platform.scid(...args)
    if (given.code !== 0) throw new Error(`scid ${args.join(' ')}: ${given.stderr}`)
    return given
  }
  return {
    ...{ expectation, events, projectId },
    sessionId: String(events[0]?.data.sessionId),
    json: async (...args): Promise<unknown> =>
      JSON.parse((await succeed([...args, '--json'])).stdout),
    bytes: async (...args) => {
      const file = join(await mkdtemp(join(tmpdir(), 'scid-scenario-')), 'bytes')
      await succeed([...args, '-o', file])
      return readFile(file)
    },
  }
}
