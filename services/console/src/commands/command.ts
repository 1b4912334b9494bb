import { Option, type Command } from 'commander'
import { z } from 'zod'
import type { CommandContext, ExitCode } from '../context.js'

/** Where the stack is, as every command is told. */
export const TargetSchema = z.object({
  dataDir: z.string().optional(),
  server: z.string().optional(),
})

/** What a command does once its arguments are known. */
export type Action = (context: CommandContext) => Promise<ExitCode>

/** Runs an action against the stack that the options name. */
export type Launch = (options: unknown, action: Action) => Promise<void>

/** Adds a command to the program. */
export type Register = (program: Command, launch: Launch) => void

/** The options that every command takes. */
export function withTarget(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--data-dir <dir>',
        'data directory of the local stack (default: $SCIENCE_DISCOVERY_DATA_DIR, else ./data)',
      ),
    )
    .addOption(
      new Option(
        '--server <address>',
        'use the stack at host:port (token: $SCIENCE_DISCOVERY_TOKEN)',
      ),
    )
}

/** The option for machines. */
export function withJson(command: Command, what: string): Command {
  return command.option('--json', what)
}
