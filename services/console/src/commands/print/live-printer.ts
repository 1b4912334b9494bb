import type { LiveDelta } from '@sciencediscovery/proto-gen/runs/v1/runs'
import type { Output } from '../../context.js'
import { printable, printableBlock } from './printable.js'

/** Writes live pieces as they come, each kind and call in a block of its own. */
export interface LivePrinter {
  piece(delta: LiveDelta): Promise<void>
  /** Ends the open line, so that an event starts on its own. */
  close(): Promise<void>
  endTurn(): void
  /** What the model said in this turn, as far as it was shown. */
  text(): string
}

/** Nothing of it is stored or repeated: a piece that got lost is seen in the event that follows. */
export function createLivePrinter(output: Output): LivePrinter {
  const { dim } = output.colors
  let block: string | undefined
  let atLineStart = true
  let said = ''

  const close = async (): Promise<void> => {
    block = undefined
    if (!atLineStart) await output.write('\n')
    atLineStart = true
  }
  const write = async (text: string, shown: string): Promise<void> => {
    if (text === '') return
    atLineStart = text.endsWith('\n')
    await output.write(shown)
  }
  return {
    close,
    endTurn: () => {
      said = ''
    },
    text: () => said,
    piece: async ({ kind, callId, text }) => {
      if (kind === 'tool_call') return
      const next = `${kind} ${callId}`
      if (block !== next) await close()
      block = next
      if (kind === 'progress') {
        await output.write(`${dim(`     … ${printable(text)}`)}\n`)
        return
      }
      if (kind === 'text') said += text
      const safe = printableBlock(text)
      await write(safe, kind === 'text' ? safe : dim(safe))
    },
  }
}
