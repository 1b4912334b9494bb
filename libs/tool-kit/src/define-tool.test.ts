import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineSpelling } from './spelling.js'
import { defineTool } from './define-tool.js'
import { toJsonSchema } from './json-schema.js'
import { okResult } from './tool-result.js'

interface Context {
  readonly seen: unknown[]
}

const parameters = z.strictObject({
  path: z.string().min(1).describe('File'),
  offset: z.int().min(1).default(1),
})

const readFile = defineTool({
  name: 'read_file',
  description: 'Reads a file.',
  parameters,
  effect: 'read',
  permission: (args) =>
    args.path.startsWith('secret')
      ? { action: 'directory', resource: args.path, summary: `read ${args.path}` }
      : undefined,
  concurrency: 'shared',
  replay: 'pure',
  deadlineMs: 1000,
  details: z.strictObject({ lines: z.int() }),
  wire: {
    harness: defineSpelling({
      name: 'read_file',
      description: 'Reads a file; offset counts from 0.',
      parameters: z.strictObject({ path: z.string(), offset: z.int().min(0).default(0) }),
      toArguments: ({ path, offset }) => ({ path, offset: offset + 1 }),
    }),
    registry: 'hidden',
  },
  handler: (args, context: Context) => {
    context.seen.push(args)
    return Promise.resolve(okResult('text', { lines: 1 }))
  },
})

async function argumentsSeen(profile: 'science' | 'harness', text: string): Promise<unknown> {
  const prepared = readFile.prepare(profile, text)
  if (!prepared.ok) throw new Error(prepared.result.text)
  const context: Context = { seen: [] }
  await prepared.call.run(context)
  return context.seen[0]
}

describe('tool', () => {
  test('hands typed arguments to its handler', async () => {
    expect(await argumentsSeen('science', '{"path":"a"}')).toEqual({ path: 'a', offset: 1 })
  })

  test('C-02, C-09: another profile counts lines from 0 and means the same', async () => {
    expect(await argumentsSeen('harness', '{"path":"a","offset":4}')).toEqual({
      path: 'a',
      offset: 5,
    })
    expect(readFile.offer('harness')?.description).toContain('from 0')
  })

  test('a hidden tool is neither offered nor callable', () => {
    expect(readFile.offer('registry')).toBeUndefined()
    const prepared = readFile.prepare('registry', '{"path":"a"}')
    expect(prepared.ok).toBe(false)
  })

  test('X-10: what needs permission depends on the arguments where the tool says so', () => {
    const plain = readFile.prepare('science', '{"path":"a"}')
    const secret = readFile.prepare('science', '{"path":"secret.txt"}')
    expect(plain.ok && plain.call.permission).toBeUndefined()
    expect(secret.ok && secret.call.permission).toEqual({
      action: 'directory',
      resource: 'secret.txt',
      summary: 'read secret.txt',
    })
  })

  test('is offered with the JSON Schema of what a caller sends', () => {
    expect(readFile.offer('science')).toMatchObject({
      name: 'read_file',
      concurrency: 'shared',
      replay: 'pure',
      observation: false,
      deadlineMs: 1000,
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string', minLength: 1, description: 'File' },
          offset: { type: 'integer', minimum: 1, default: 1 },
        },
        required: ['path'],
        additionalProperties: false,
      },
    })
  })

  test('JSON Schema holds no bound that only restates the integer range', () => {
    expect(JSON.stringify(toJsonSchema(parameters))).not.toContain('9007199254740991')
    expect(toJsonSchema(z.strictObject({ n: z.int() }))).toMatchObject({
      properties: { n: { type: 'integer' } },
    })
  })
})
