import { expect, test, describe } from 'vitest'
import { table } from './table.js'

describe('table', () => {
  test('aligns columns and ends no line with blanks', () => {
    expect(
      table(
        ['NAME', 'KIND'],
        [
          ['gc.csv', 'dataset'],
          ['a', ''],
        ],
      ),
    ).toBe('NAME    KIND\ngc.csv  dataset\na\n')
  })

  test('counts wide characters as two columns', () => {
    expect(
      table(
        ['N', 'K'],
        [
          ['合计', 'x'],
          ['abcd', 'y'],
        ],
      ),
    ).toBe('N     K\n合计  x\nabcd  y\n')
  })

  test('a name cannot break out of its row', () => {
    expect(table(['N'], [['a\n\x1b[2Jb']])).toBe('N\na⏎\\x1b[2Jb\n')
  })
})
