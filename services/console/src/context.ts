import type { ArtifactServiceService } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import type { ExecutionServiceService } from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import type { OperationsServiceService } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import type { ProvenanceServiceService } from '@sciencediscovery/proto-gen/provenance/v1/provenance_service'
import type { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import type { SessionServiceService } from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import type { WorkspaceServiceService } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import type { RpcClient } from '@sciencediscovery/service-kit'

/** What a command tells its caller: done, failed, used wrongly, stopped. */
export type ExitCode = 0 | 1 | 2 | 130

/** The services behind the one address. */
export interface Clients {
  readonly sessions: RpcClient<typeof SessionServiceService>
  readonly runs: RpcClient<typeof RunServiceService>
  readonly artifacts: RpcClient<typeof ArtifactServiceService>
  readonly provenance: RpcClient<typeof ProvenanceServiceService>
  readonly operations: RpcClient<typeof OperationsServiceService>
  readonly workspaces: RpcClient<typeof WorkspaceServiceService>
  readonly executions: RpcClient<typeof ExecutionServiceService>
}

/** The stack that a command talks to: a server, a living local stack, or one that this process starts. */
export interface Stack {
  /** The clients; finds or starts the stack when first asked. */
  clients(signal: AbortSignal): Promise<Clients>
  /** Looks again where the stack is, after it went away. */
  renew(signal: AbortSignal): Promise<void>
  /** Starts the stack in this process; refused when another process has it. */
  start(signal: AbortSignal): Promise<{ readonly address: string }>
}

/** Colours, or functions that leave the text as it is. */
export interface Palette {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly cyan: (text: string) => string
}

/** Where results and remarks go. */
export interface Output {
  /** Results, on standard output; waits for room. Throws `cancelled` when nobody reads it any more. */
  write(content: string | Uint8Array): Promise<void>
  /** Bytes on standard error, as they are: what an execution wrote there. */
  writeError(content: Uint8Array): Promise<void>
  /** A remark of one line, on standard error. */
  note(text: string): void
  /** Keeps results back until released: a question is on the screen. */
  hold(): () => void
  /** Whether a person reads standard output. */
  readonly isTerminal: boolean
  readonly colors: Palette
  /** Aborts when nobody reads standard output any more. */
  readonly closed: AbortSignal
}

/** A decision about a call that waits for permission. */
export type Decision = 'once' | 'matching' | 'deny'

/** A person at a terminal. `interrupted`: the person pressed Ctrl-C instead. */
export interface Terminal {
  decide(question: string, signal: AbortSignal): Promise<Decision | 'interrupted' | 'withdrawn'>
}

/** Ctrl-C and SIGTERM. The first asks to stop, the second to leave at once. */
export interface Interrupts {
  readonly stop: AbortSignal
  readonly leave: AbortSignal
  /** As if the signal had come. */
  trigger(): void
}

/** Files of this machine. */
export interface LocalFiles {
  /** Size of a regular file; undefined when there is nothing; throws `invalid` naming the field when it is something else. */
  sizeOf(path: string, field: string): Promise<number | undefined>
  read(path: string): Promise<Buffer>
  pieces(path: string): AsyncIterable<Buffer>
  /** Writes all or nothing; gives the path that was written. */
  save(path: string, name: string, content: AsyncIterable<Uint8Array>): Promise<string>
  /** Makes a directory of files, all of it or nothing; refused when something is there. Gives its path. */
  saveDirectory(path: string, fill: (add: AddFile) => Promise<void>): Promise<string>
}

/** Writes a file below a new directory and gives its size in bytes; `/` stands between the parts of its name. */
export type AddFile = (name: string, content: AsyncIterable<Uint8Array>) => Promise<number>

/** How patient the command is. */
export interface Patience {
  /** How long a lost stack is looked for. */
  readonly reconnectMs: number
  /** Pause before the first further try. */
  readonly pauseMs: number
  /** How long late facts are waited for after the end of a run. */
  readonly lateFactsMs: number
}

/** Everything a command may use. */
export interface CommandContext {
  readonly stack: Stack
  readonly output: Output
  /** Absent when nobody sits at a terminal. */
  readonly terminal: Terminal | undefined
  readonly interrupts: Interrupts
  readonly files: LocalFiles
  readonly patience: Patience
  /** A new idempotency key. */
  readonly createKey: () => string
}
