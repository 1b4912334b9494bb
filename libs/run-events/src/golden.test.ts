import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { RunEventSchema, parseRunEvent } from './run-event.js'
import { summaryOf } from './summary.js'

const directory = new URL('../../../test/golden/run-events/', import.meta.url)
const files = readdirSync(directory).filter((file) => file.endsWith('.json'))

describe('stored run events', () => {
  test.each(files)('%s still parses, and keeps every field it knows', (file) => {
    const stored: unknown = JSON.parse(readFileSync(new URL(file, directory), 'utf8'))
    const event = parseRunEvent(RunEventSchema.parse(stored))
    expect(event).toEqual(stored)
    expect(file).toBe(`${event.type}.v${event.v}.json`)
  })

  test('every event type has a golden file of every version it is written in', () => {
    const types = RunEventSchema.options.map(
      (schema) => `${schema.shape.type.value}.v${schema.shape.v.value}.json`,
    )
    expect(files.toSorted()).toEqual(types.toSorted())
  })

  test.each(files)('%s has a summary of one line and at most 200 bytes', (file) => {
    const summary = summaryOf(
      RunEventSchema.parse(JSON.parse(readFileSync(new URL(file, directory), 'utf8'))),
    )
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(200)
    expect(summary).toMatch(/^\P{Cc}+$/u)
  })

  test('what execution.completed may say besides is kept', () => {
    const file = new URL('execution.completed.v1.json', directory)
    const stored = JSON.parse(readFileSync(file, 'utf8')) as { data: object }
    const more = {
      explanation: 'it needed more than the memory limit of 64 MiB',
      possibleInputs: { tree: 'a'.repeat(64), count: 9_999 },
      skipped: { items: ['bad\\xff.txt (its name is not UTF-8)'], total: 1 },
    }
    const event = { ...stored, data: { ...stored.data, ...more } }
    expect(parseRunEvent(RunEventSchema.parse(event))).toEqual(event)
  })

  test('unknown fields of a newer writer are dropped on reading', () => {
    const stored = JSON.parse(
      readFileSync(new URL('run.cancel.requested.v1.json', directory), 'utf8'),
    ) as { data: object }
    const event = parseRunEvent({
      type: 'run.cancel.requested',
      v: 1,
      data: { ...stored.data, later: true },
    })
    expect(event.data).not.toHaveProperty('later')
  })
})
