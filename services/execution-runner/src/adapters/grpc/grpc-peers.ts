import { type Channel, connectChannel, rpcClient } from '@sciencediscovery/service-kit'
import { forwardedExecutions, forwardedFiles } from '../../forwarded.js'
import { type Peers } from '../../peers.js'

/** Peers over gRPC; a channel per address, made when it is first used. */
export class GrpcPeers implements Peers, Disposable {
  readonly #channels = new Map<string, Channel>()
  readonly #token: string

  constructor(token: string) {
    this.#token = token
  }

  executions(address: string): ReturnType<Peers['executions']> {
    return rpcClient(forwardedExecutions, this.#channel(address))
  }

  files(address: string): ReturnType<Peers['files']> {
    return rpcClient(forwardedFiles, this.#channel(address))
  }

  [Symbol.dispose](): void {
    for (const channel of this.#channels.values()) channel.close()
    this.#channels.clear()
  }

  #channel(address: string): Channel {
    const known = this.#channels.get(address)
    if (known) return known
    // A dead owner must be found out about soon: somebody waits for the answer.
    const channel = connectChannel(address, { token: this.#token, connectTimeoutMs: 500 })
    this.#channels.set(address, channel)
    return channel
  }
}
