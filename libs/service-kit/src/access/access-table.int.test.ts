import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { accessTable } from './access-table.js'

const generated = fileURLToPath(new URL('../../../proto-gen/src/sciencediscovery', import.meta.url))
const DefinitionSchema = z.record(z.string(), z.object({ path: z.string() }))

/** Every RPC of the platform's own contracts, from what was generated of them. */
async function everyRpc(): Promise<readonly string[]> {
  const files = await readdir(generated, { recursive: true })
  const paths = files
    .filter((file) => file.endsWith('_service.ts'))
    .map(async (file) => {
      const exported: Readonly<Record<string, unknown>> = await import(`${generated}/${file}`)
      const definitions = Object.entries(exported).filter(([name]) =>
        name.endsWith('ServiceService'),
      )
      return definitions.flatMap(([, definition]) =>
        Object.values(DefinitionSchema.parse(definition)).map(({ path }) => path),
      )
    })
  return (await Promise.all(paths)).flat()
}

describe('the table of access', () => {
  test('has a row for every RPC that the contracts have, and for nothing else', async () => {
    expect([...accessTable.keys()].sort()).toEqual([...(await everyRpc())].sort())
  })
})
