import { createHash } from 'node:crypto'
import { z } from 'zod'
import { expect } from 'vitest'
import { type Played } from './play-scenario.js'

/** Files, artifacts and quoted numbers are what the expectation says. */
export async function checkResults(played: Played): Promise<void> {
  const texts = [JSON.stringify(played.events)]
  for (const [path, { sha256, bytes }] of Object.entries(played.expectation.files)) {
    const content = await played.bytes('files', 'get', path, '--session', played.sessionId)
    expect(createHash('sha256').update(content).digest('hex'), path).toBe(sha256)
    if (bytes !== undefined) expect(content.length, path).toBe(bytes)
    texts.push(content.toString('utf8'))
  }
  checkValues(played, texts.join('\n'))
  await checkArtifacts(played)
}

/** Every number that a user would quote stands somewhere, to the digit. */
function checkValues({ expectation }: Played, text: string): void {
  const numbers = new Set((text.match(/-?\d+(\.\d+)?(e[+-]?\d+)?/g) ?? []).map(Number))
  for (const { what, equals } of expectation.values) {
    for (const value of [equals].flat()) expect(numbers.has(value), `${what}: ${value}`).toBe(true)
  }
}

const ArtifactsSchema = z.object({
  artifacts: z.array(z.object({ name: z.string(), version: z.int(), origin: z.string() })),
})

async function checkArtifacts(played: Played): Promise<void> {
  const { artifacts } = ArtifactsSchema.parse(
    await played.json('artifacts', '--project', played.projectId),
  )
  const found = artifacts.map(({ name, version, origin }) => ({ name, versions: version, origin }))
  const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1)
  expect(found.toSorted(byName)).toEqual(played.expectation.artifacts.toSorted(byName))
}
