import { describe, expect, test } from 'vitest'
import { previewKindOf } from './preview-kind.js'

describe('preview kind (S-06)', () => {
  test.each([
    ['results/coefficients.csv', 'text/csv', 'dataset'],
    ['原始数据/HNSCC1_R1.fastq.gz', 'application/gzip', 'dataset'],
    ['figure.PNG', 'image/png', 'figure'],
    ['page.html', 'text/html', 'html'],
    ['结果/质控.json', 'application/json', 'json'],
    ['paper.tex', 'text/x-tex', 'latex'],
    ['report.md', 'text/markdown', 'markdown'],
    ['a.ipynb', 'application/json', 'notebook'],
    ['report.pdf', 'application/pdf', 'report'],
    ['1abc.cif', 'text/plain', 'structure'],
    ['constructor', 'application/octet-stream', 'other'],
    ['no-extension', 'image/webp', 'figure'],
    ['notes.constructor', 'text/plain', 'other'],
  ])('%s as %s is shown as %s', (name, mediaType, kind) => {
    expect(previewKindOf(name, mediaType)).toBe(kind)
  })
})
