/**
 * Texts of models, tools and files may hold terminal control sequences and characters that reorder or
 * hide text. None of them reaches a terminal: they are shown as escapes. Joiners stay, scripts need them.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
const joiners = new Set(['\u200c', '\u200d'])

/** The text on one line, with everything that could steer a terminal made visible. */
export function printable(text: string): string {
  return text.replace(/\r?\n/g, '⏎').replaceAll('\t', ' ').replace(hidden, shown)
}

/** The text with its lines and tabs, and everything else that could steer a terminal made visible. */
export function printableBlock(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(hidden, (character) =>
      character === '\n' || character === '\t' ? character : shown(character),
    )
}

function shown(character: string): string {
  if (joiners.has(character)) return character
  const code = character.codePointAt(0) ?? 0
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}

/** The beginning of the text, at most so many characters. */
export function shortened(text: string, longest: number): string {
  const characters = Array.from(text.slice(0, longest * 2 + 2))
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text
}
