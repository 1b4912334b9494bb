import { invalid } from '@sciencediscovery/kernel'

const maxNameChars = 2_000
const remedy = 'send a relative name such as results/figure.png'
/** Control characters and line separators: they break listings, terminals and file systems. */
const unprintable = /[\p{Cc}\u2028\u2029]/u
const absolute = /^(?:[/\\]|[A-Za-z]:[/\\])/

/**
 * The one spelling of an artifact name or workspace path: `./a`, `a//` and `a` are `a`. A '/' makes virtual
 * folders only; whatever points elsewhere is refused (BR-037).
 */
export function parseName(text: string, field: string): string {
  if (/\p{Cs}/u.test(text)) throw invalid(field, 'holds half a character', remedy)
  if (unprintable.test(text)) throw invalid(field, 'holds a control character', remedy)
  if (absolute.test(text)) throw invalid(field, `${quoted(text)} is absolute`, remedy)
  if (text.split(/[/\\]/).includes('..'))
    throw invalid(field, `${quoted(text)} points outside with '..'`, remedy)
  const name = text
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/')
  if (name === '') throw invalid(field, 'is empty', remedy)
  if (Array.from(name).length > maxNameChars)
    throw invalid(field, `is longer than ${maxNameChars} characters`, 'send a shorter one')
  return name
}

/**
 * The one spelling of an artifact name: what looks the same is the same name, however a system composes its
 * characters and whatever blanks it puts in (BR-017).
 */
export function parseArtifactName(text: string, field: string): string {
  return parseName(text.normalize('NFC').replaceAll(/\p{Zs}/gu, ' '), field)
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100))
}
