import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type ToolStack, profiles, startToolStack } from '../harness/tool-stack.js'

let stack: ToolStack
beforeAll(async () => {
  stack = await startToolStack()
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
})

const DeclaredSchema = z.object({
  artifact: z.object({ id: z.string(), name: z.string(), version: z.int(), versionId: z.string() }),
})

describe.each(profiles)('E: artifacts, %s profile', (profile) => {
  test('BR-037: a name that points elsewhere is refused, and one bad path spoils no other', async () => {
    const agent = stack.agent('names', profile)
    await agent.put('ok.txt', 'fine\n')
    const named = await agent.call('declare_artifact', { path: 'ok.txt', name: '../../x.md' })
    expect([named.isError, named.text]).toEqual([true, expect.stringContaining('name')])
    const paths = ['ok.txt', '../k', 'missing']
    const many = await agent.call('declare_artifact', { paths })
    expect(many.details).toMatchObject({
      items: [
        { ok: true, path: 'ok.txt', artifact: { name: 'ok.txt' } },
        { ok: false, path: '../k', error: { message: expect.stringContaining('outside') } },
        { ok: false, path: 'missing', error: { message: expect.stringContaining('not found') } },
      ],
    })
  })

  test('BR-017: a file is declared by the name it seems to have, and found by either', async () => {
    const agent = stack.agent('looks', profile)
    await agent.put('Bild_a\u0308.csv', 'a,b\n')
    const declared = await agent.call('declare_artifact', { path: 'Bild_\u00e4.csv' })
    expect(DeclaredSchema.parse(declared.details).artifact.name).toBe('Bild_\u00e4.csv')
    for (const name of ['Bild_\u00e4.csv', 'Bild_a\u0308.csv']) {
      expect((await agent.call('read_artifact', { name })).text).toBe('a,b\n')
    }
  })

  test('BR-038: eight writers of one name make versions 1 to 8 with eight contents', async () => {
    const name = `report-${profile}.md`
    const agents = ['w0', 'w1', 'w2', 'w3', 'w4'].map((who) => stack.agent(who, profile))
    const contents = Array.from({ length: 8 }, (_, n) => `content ${n} of ${profile}\n`)
    const writers = contents.map((content, n) => ({
      content,
      path: `draft-${n}.md`,
      // The first agent writes four of them, the four others one each.
      agent: agents[n < 4 ? 0 : n - 3]!,
    }))
    for (const { agent, path, content } of writers) await agent.put(path, content)
    const answers = await Promise.all(
      writers.map(({ agent, path }) => agent.call('declare_artifact', { path, name })),
    )
    const versions = answers.map(({ details }) => DeclaredSchema.parse(details).artifact.version)
    expect([...versions].sort((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    const seen: string[] = []
    for (let version = 1; version <= 8; version += 1) {
      const { text } = await agents[0]!.call('read_artifact', { name, version })
      seen.push(createHash('sha256').update(text).digest('hex'))
      const writer = writers[versions.indexOf(version)]
      expect(text).toBe(writer?.content)
      const { artifact } = await stack.artifacts.readArtifact({
        ...{ projectId: 'default', artifactId: '', name, version },
        ...{ offset: 0n, limit: 0, minPosition: '', charOffset: 0n },
      })
      expect(artifact?.version?.agentId).toBe(writer?.agent.agentId)
    }
    expect(new Set(seen).size).toBe(8)
  })

  test('C-25: a version based on one that is not the newest is refused', async () => {
    const agent = stack.agent('based', profile)
    const path = `based-${profile}.md`
    await agent.put(path, 'one\n')
    const first = DeclaredSchema.parse(
      (await agent.call('declare_artifact', { path })).details,
    ).artifact
    const base = { path, artifact_id: first.id, base_version_id: first.versionId }
    await agent.put(path, 'two\n')
    expect((await agent.call('declare_artifact', base)).isError).toBe(false)
    await agent.put(path, 'three\n')
    const stale = await agent.call('declare_artifact', base)
    expect(stale.text).toContain('ARTIFACT_VERSION_CONFLICT')
    expect((await agent.call('read_artifact', { name: path })).text).toBe('two\n')
  })

  test('I-20: what is declared as ./a is the artifact a', async () => {
    const agent = stack.agent('dots', profile)
    const path = `dots-${profile}/a.txt`
    await agent.put(path, 'a\n')
    await agent.call('declare_artifact', { path })
    const again = await agent.call('declare_artifact', { path: `./${path}` })
    expect(DeclaredSchema.parse(again.details).artifact).toMatchObject({ name: path, version: 2 })
  })
})
