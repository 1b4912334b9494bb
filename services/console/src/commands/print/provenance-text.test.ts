import { describe, expect, test } from 'vitest'
import pc from 'picocolors'
import { parseProvenance } from './provenance-record.js'
import { provenanceText } from './provenance-text.js'

const colors = pc.createColors(false)
const sha = (letter: string): string => letter.repeat(64)
const event = (position: number): object => ({ stream: 'runs/r1', position })

const figure = {
  origin: 'agent',
  fileId: 'f1',
  artifact: { name: 'gc.svg', version: 2 },
  revisions: [
    { id: 'r1', path: 'out/gc.svg', sha256: sha('1'), origin: 'agent', callId: 's4', runId: 'r1' },
    { id: 'r2', path: 'out/gc.svg', sha256: sha('2'), origin: 'agent', callId: 's6', runId: 'r1' },
  ],
  upstream: [
    {
      callId: 's6',
      kind: 'execution',
      runId: 'r1',
      event: event(40),
      execution: { command: 'python3 plot.py \x1b[2J' },
      inputs: [
        { path: 'gc.csv', sha256: sha('c'), origin: 'agent', evidence: 'observed', callId: 's2' },
        { path: 'plot.py', sha256: sha('d'), origin: 'agent', evidence: 'declared', callId: 'w1' },
        {
          path: 'out/gc.svg',
          sha256: sha('1'),
          origin: 'agent',
          evidence: 'possible',
          callId: 's4',
        },
      ],
      inputsOmitted: 7,
    },
    {
      callId: 's2',
      kind: 'execution',
      runId: 'r1',
      event: event(12),
      execution: { command: 'python3 gc.py' },
      inputs: [{ path: 'orchid.fasta', sha256: sha('e'), origin: 'upload', evidence: 'observed' }],
    },
    { callId: 'w1', kind: 'tool', name: 'write_file', runId: 'r1', event: event(30), inputs: [] },
  ],
}

describe('how a figure was made', () => {
  test('SC-01 is a chain of files and calls, with evidence and short digests', () => {
    const text = provenanceText('gc.svg', parseProvenance(JSON.stringify(figure)), colors)
    expect(text).toBe(
      [
        'gc.svg version 2 [222222222222 · agent · 2 revisions]',
        '└─ made by python3 plot.py \\x1b[2J [call s6 · runs/r1#40]',
        '   ├─ gc.csv [cccccccccccc · agent · observed]',
        '   │  └─ made by python3 gc.py [call s2 · runs/r1#12]',
        '   │     └─ orchid.fasta [eeeeeeeeeeee · upload · observed]',
        '   ├─ plot.py [dddddddddddd · agent · declared]',
        '   │  └─ made by write_file [call w1 · runs/r1#30]',
        '   └─ 8 more possible: out/gc.svg, …',
        'revisions, oldest first:',
        '  1 out/gc.svg [111111111111 · agent · call s4]',
        '  2 out/gc.svg [222222222222 · agent · call s6]',
        '',
      ].join('\n'),
    )
  })

  test('a call that made two of the inputs is told once', () => {
    const [first, second] = figure.upstream
    const inputs = [...first!.inputs.slice(0, 1), { ...first!.inputs[0], path: 'at.csv' }]
    const record = { ...figure, upstream: [{ ...first, inputs, inputsOmitted: 0 }, second] }
    const text = provenanceText('gc.svg', parseProvenance(JSON.stringify(record)), colors)
    expect(text).toContain(
      '   └─ at.csv [cccccccccccc · agent · observed]\n      └─ made by python3 gc.py [call s2 · runs/r1#12] (see above)\n',
    )
  })

  test('a call id that repeats in an earlier run is not taken for a circle', () => {
    const again = {
      callId: 's6',
      kind: 'execution',
      runId: 'r0',
      event: { stream: 'runs/r0', position: 9 },
      execution: { command: 'make' },
    }
    const inputs = [
      { path: 'x', sha256: sha('f'), origin: 'agent', evidence: 'observed', callId: 's6' },
    ]
    const record = {
      ...figure,
      upstream: [{ ...figure.upstream[0], inputs, inputsOmitted: 0 }, again],
    }
    expect(provenanceText('gc.svg', parseProvenance(JSON.stringify(record)), colors)).toContain(
      '   └─ x [ffffffffffff · agent · observed]\n      └─ made by make [call s6 · runs/r0#9]\n',
    )
  })

  test('a link that the record does not have is told below, not guessed', () => {
    const [first, second] = figure.upstream
    const inputs = [{ path: 'gc.csv', sha256: sha('c'), origin: 'agent', evidence: 'observed' }]
    const record = {
      ...figure,
      truncated: true,
      upstream: [{ ...first, inputs, inputsOmitted: 0 }, second],
    }
    expect(provenanceText('gc.svg', parseProvenance(JSON.stringify(record)), colors)).toContain(
      'further upstream:\nmade by python3 gc.py [call s2 · runs/r1#12]\n└─ orchid.fasta [eeeeeeeeeeee · upload · observed]\nthe chain goes on; it is cut here\n',
    )
  })

  test.each([
    ['unknown', 'how it was made is unknown'],
    ['upload', 'uploaded by a person'],
  ])('a file of origin %s has no call behind it', (origin, words) => {
    const record = {
      origin,
      fileId: 'f',
      upstream: [],
      revisions: [{ id: 'r', path: 'a', sha256: sha('a'), origin, callId: '' }],
    }
    expect(provenanceText('a', parseProvenance(JSON.stringify(record)), colors)).toContain(
      `└─ ${words}`,
    )
  })

  test('a record of another shape is said to be one', () => {
    expect(() => parseProvenance('{}')).toThrow('cannot be read')
  })
})
