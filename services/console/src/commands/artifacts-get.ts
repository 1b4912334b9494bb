import type { Command } from 'commander'
import type { DownloadArtifactResponse } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { z } from 'zod'
import type { CommandContext, ExitCode } from '../context.js'
import { withTarget, type Launch } from './command.js'
import { printable, printableBlock } from './print/printable.js'
import { usageError, wholeNumber } from './usage-error.js'

const OptionsSchema = z.object({
  project: z.string().default('default'),
  version: z.string().optional(),
  output: z.string().optional(),
})

/** `scid artifacts get NAME [--version N] [-o FILE]` */
export function registerArtifactsGet(artifacts: Command, launch: Launch): void {
  withTarget(artifacts.command('get'))
    .description('write the content of an artifact to a file or to standard output')
    .argument('<name>', 'name of the artifact')
    .option('--project <project>', 'project (default: default)')
    .option('--version <n>', 'version (default: the newest)')
    .option('-o, --output <file>', "file or directory to write to ('-': standard output)")
    .action(async (name: string, _given: unknown, command: Command) => {
      // Options that `artifacts` takes too are found by it, wherever they stand.
      const given: unknown = command.optsWithGlobals()
      const { project, version, output } = OptionsSchema.parse(given)
      const number = wholeNumber('--version', version, 1) ?? 0
      await launch(given, (context) =>
        getArtifact(context, { project, name, version: number, output }),
      )
    })
}

interface Wanted {
  readonly project: string
  readonly name: string
  readonly version: number
  readonly output: string | undefined
}

async function getArtifact(context: CommandContext, wanted: Wanted): Promise<ExitCode> {
  const { output, interrupts, files } = context
  const signal = interrupts.stop
  const { artifacts } = await context.stack.clients(signal)
  const { project: projectId, name, version } = wanted
  const request = { projectId, artifactId: '', name, version, minPosition: '' }
  const content = contentOf(artifacts.downloadArtifact(request, { signal }))
  if (wanted.output !== undefined && wanted.output !== '-') {
    const path = await files.save(wanted.output, name, content)
    output.note(`wrote ${printable(path)}`)
    return 0
  }
  const shown = wanted.output === undefined && output.isTerminal ? onScreen(content, name) : content
  for await (const piece of shown) await output.write(piece)
  return 0
}

async function* contentOf(
  responses: AsyncIterable<DownloadArtifactResponse>,
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
