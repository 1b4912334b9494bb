/**
 * What a name looks like (BR-017): composed and decomposed characters, all kinds of blanks, and characters
 * without a shape of their own make no difference to the eye.
 */
export function looksOf(name: string): string {
  return name
    .normalize('NFC')
    .replaceAll(/\p{Zs}/gu, ' ')
    .replaceAll(/[\u200b-\u200d\u2060\ufeff\u00ad]/gu, '')
}

/** The characters of a name that one was not asked for, spelled out: `U+00A0, U+0308`. */
export function oddCharacters(name: string, asked: string): string {
  const known = new Set(asked)
  const odd = [...new Set(name)].filter((one) => !known.has(one) && !/[ -~]/.test(one))
  return odd.map(codeOf).join(', ')
}

/** How a name on disk differs from the one asked for, for a reader; empty when it does not. */
export function spellingOf(path: string, asked: string): string {
  if (path === asked || looksOf(path) !== looksOf(asked)) return ''
  const odd = oddCharacters(path, asked)
  return odd === ''
    ? `the name on disk lacks ${oddCharacters(asked, path)}`
    : `the name on disk has ${odd}`
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
