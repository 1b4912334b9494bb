import { printable } from './printable.js'

/** Rows below their headings, columns aligned with two blanks between. Wide characters count double. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headings, ...rows].map((row) => row.map(printable))
  const widths = headings.map((_, column) =>
    Math.max(...cells.map((row) => widthOf(row[column] ?? ''))),
  )
  return cells.map((row) => `${line(row, widths)}\n`).join('')
}

function line(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
    .join('  ')
    .trimEnd()
}

const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff00-\uff60]/gu

function widthOf(text: string): number {
  return Array.from(text).length + (text.match(wide)?.length ?? 0)
}
