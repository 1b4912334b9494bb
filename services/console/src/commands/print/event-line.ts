import type { RunEvent } from '@sciencediscovery/proto-gen/runs/v1/runs'
import { z } from 'zod'
import type { Palette } from '../../context.js'
import { dataOf } from './event-json.js'
import { printable } from './printable.js'

const TurnSchema = z.object({ text: z.string(), toolCalls: z.array(z.unknown()) })
const ResultSchema = z.object({ isError: z.boolean() })
const EndSchema = z.object({
  usage: z.object({
    modelTurns: z.number(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    costUsd: z.number(),
    unpricedTurns: z.number(),
  }),
})

/** The line of an event: its number and its summary. */
export function eventLine(event: RunEvent, colors: Palette): string {
  const number = `${event.position}`.padStart(4)
  const summary = printable(event.summary === '' ? event.type : event.summary)
  return `${colors.dim(number)} ${coloured(event, colors)(summary)}\n`
}

/** The model's last word, when the event is the turn that asked for no tool. */
export function answerOf(event: RunEvent): string | undefined {
  if (event.type !== 'model.turn.completed') return undefined
  const turn = TurnSchema.safeParse(dataOf(event)).data
  return turn?.toolCalls.length === 0 && turn.text !== '' ? turn.text : undefined
}

/** Tokens and money, when the event is the end of the run. */
export function closingLine(event: RunEvent, colors: Palette): string | undefined {
  if (!/^run\.(completed|failed|cancelled)$/.test(event.type)) return undefined
  const end = EndSchema.safeParse(dataOf(event)).data
  return end && `     ${colors.dim(usageText(end.usage))}\n`
}

type UsageFigures = z.infer<typeof EndSchema>['usage']

/** Tokens and money in words. A price that is not known is said to be unknown. */
export function usageText(usage: UsageFigures): string {
  const { modelTurns, inputTokens, outputTokens, costUsd, unpricedTurns } = usage
  const turns = `${modelTurns} model ${modelTurns === 1 ? 'turn' : 'turns'}`
  const money = `$${costUsd.toFixed(4)}`
  const cost =
    unpricedTurns === 0
      ? money
      : unpricedTurns >= modelTurns
        ? 'cost unknown'
        : `at least ${money} (${unpricedTurns} turns without a price)`
  return `${turns} · ${inputTokens} tokens in · ${outputTokens} out · ${cost}`
}

function coloured(event: RunEvent, colors: Palette): (text: string) => string {
  switch (event.type) {
    case 'run.completed':
      return (text) => colors.bold(colors.green(text))
    case 'run.failed':
      return (text) => colors.bold(colors.red(text))
    case 'run.cancelled':
    case 'tool.call.blocked':
      return colors.yellow
    case 'tool.call.failed':
    case 'model.turn.failed':
      return colors.red
    case 'tool.call.completed':
      return ResultSchema.safeParse(dataOf(event)).data?.isError === true ? colors.red : plain
    case 'model.turn.requested':
    case 'tool.call.requested':
      return colors.dim
    case 'artifact.declared':
    case 'plan.updated':
      return colors.cyan
    default:
      return plain
  }
}

function plain(text: string): string {
  return text
}
