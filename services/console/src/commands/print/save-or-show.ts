import type { CommandContext, ExitCode } from '../../context.js'
import { usageError } from '../usage-error.js'
import { printable, printableBlock } from './printable.js'

/** What came, and where it goes: `-` is standard output as it is. */
interface Target {
  readonly name: string
  readonly output: string | undefined
}

/** Writes what is downloaded to a file, or to standard output: unchanged unless a terminal shows it. */
export async function saveOrShow(
  { files, output }: CommandContext,
  responses: AsyncIterable<{ readonly content: Uint8Array }>,
  { name, output: wanted }: Target,
): Promise<ExitCode> {
  const content = contentOf(responses)
  if (wanted !== undefined && wanted !== '-') {
    const path = await files.save(wanted, name, content)
    output.note(`wrote ${printable(path)}`)
    return 0
  }
  const shown = wanted === undefined && output.isTerminal ? onScreen(content, name) : content
  for await (const piece of shown) await output.write(piece)
  return 0
}

async function* contentOf(
  responses: AsyncIterable<{ readonly content: Uint8Array }>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const { content } of responses) yield content
}

/** A terminal obeys what is written to it: text is made harmless, anything else is refused. */
async function* onScreen(
  content: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const piece of content)
      yield printableBlock(checked(decoder.decode(piece, { stream: true })))
    yield printableBlock(decoder.decode())
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw usageError(
      '--output',
      `${printable(name)} is not text`,
      'give -o FILE, or -o - to write it all the same',
    )
  }
}

function checked(text: string): string {
  if (text.includes('\0')) throw new TypeError('binary')
  return text
}
