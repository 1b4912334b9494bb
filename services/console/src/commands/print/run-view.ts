import type { Output } from '../../context.js'
import type { Followed } from '../follow/follow-run.js'
import { eventJson } from './event-json.js'
import { createLivePrinter } from './live-printer.js'
import { answerOf, closingLine, eventLine } from './event-line.js'
import { printableBlock } from './printable.js'

/** Shows what a watcher sees. */
export interface RunView {
  /** Whether live pieces are of any use to it. */
  readonly live: boolean
  show(followed: Followed): Promise<void>
}

/** One event per line as JSON, and nothing else. */
export function createJsonView(output: Output): RunView {
  return {
    live: false,
    show: async (followed) => {
      if (followed.kind === 'event') await output.write(eventJson(followed.event))
    },
  }
}

/** One line per event; on a terminal the model's words and the output of tools as they come. */
export function createPeopleView(output: Output): RunView {
  const live = createLivePrinter(output)
  return {
    live: output.isTerminal,
    show: async (followed) => {
      if (followed.kind === 'live') return live.piece(followed.delta)
      const { event } = followed
      await live.close()
      await output.write(eventLine(event, output.colors))
      const answer = answerOf(event)
      if (answer !== undefined && answer.trim() !== live.text().trim()) {
        await output.write(`\n${printableBlock(answer.trimEnd())}\n\n`)
      }
      // Pieces may come before the event that asked for the turn, so its end is what parts turns.
      if (/^model\.turn\.(completed|failed)$/.test(event.type)) live.endTurn()
      const closing = closingLine(event, output.colors)
      if (closing !== undefined) await output.write(closing)
    },
  }
}
