import { type Msg } from 'nats'

/** A message that a consumer sent, its place, and the ways to answer it. */
export class Delivered {
  readonly message: Msg
  readonly replySubject: string
  readonly stream: string
  readonly attempt: number
  readonly streamSequence: number
  readonly consumerSequence: number

  constructor(message: Msg) {
    this.message = message
    this.replySubject = message.reply ?? ''
    // $JS.ACK.[<domain>.<account>.]<stream>.<consumer>.<attempt>.<stream seq>.<consumer seq>.<time>.<pending>[.<token>]
    const tokens = this.replySubject.split('.')
    const start = tokens.length > 9 ? 6 : 4
    this.stream = tokens[start - 2] ?? ''
    this.attempt = Number(tokens[start])
    this.streamSequence = Number(tokens[start + 1])
    this.consumerSequence = Number(tokens[start + 2])
  }

  /** Settled. */
  ack(): void {
    this.message.respond('+ACK')
  }

  /** To be delivered again, after the delay. */
  nak(delayMs = 0): void {
    this.message.respond(nakWord(delayMs))
  }

  /** Still at work: the ack wait starts again. */
  working(): void {
    this.message.respond('+WPI')
  }
}

/** What asks for another delivery. */
export function nakWord(delayMs: number): string {
  return delayMs > 0 ? `-NAK ${JSON.stringify({ delay: Math.round(delayMs * 1_000_000) })}` : '-NAK'
}
