import { z } from 'zod'

const FailureSchema = z.strictObject({
  status: z.number().int().min(400).max(599),
  /** Fails this many attempts; every attempt when absent. */
  times: z.number().int().positive().optional(),
  message: z.string().optional(),
  retryAfterMs: z.number().int().nonnegative().optional(),
})
export type ScriptFailure = z.infer<typeof FailureSchema>

const ToolCallSchema = z.strictObject({
  id: z.string().min(1).optional(),
  name: z.string().min(1),
  /** An object, or the raw text of the arguments. */
  arguments: z.union([z.record(z.string(), z.unknown()), z.string()]).optional(),
})
export type ScriptToolCall = z.infer<typeof ToolCallSchema>

const TurnSchema = z.strictObject({
  id: z.string().min(1).optional(),
  text: z.string().optional(),
  toolCalls: z.array(ToolCallSchema).optional(),
  fail: FailureSchema.optional(),
  hang: z.boolean().optional(),
  latencyMs: z.number().nonnegative().max(3_600_000).optional(),
  stop: z.enum(['end', 'length', 'refused']).optional(),
  usage: z
    .strictObject({
      inputTokens: z.number().int().nonnegative(),
      outputTokens: z.number().int().nonnegative(),
      cachedInputTokens: z.number().int().nonnegative().optional(),
    })
    .optional(),
})

/** The file format. */
export const ScriptFileSchema = z.strictObject({
  turns: z.array(TurnSchema),
  protocol: z.enum(['native', 'action']).optional(),
  get children() {
    return z.record(z.string().min(1), ScriptFileSchema).optional()
  },
  get sessions() {
    return z.record(z.string().min(1), ScriptFileSchema).optional()
  },
})
export type ScriptFile = z.infer<typeof ScriptFileSchema>

/** One turn as it is played: its failures come first, attempt by attempt. */
export interface ScriptTurn extends Omit<z.infer<typeof TurnSchema>, 'fail'> {
  readonly failures: readonly ScriptFailure[]
}

/** A script that was checked: turns of one agent, and the scripts of its sub-agents and further sessions. */
export interface Script {
  readonly turns: readonly ScriptTurn[]
  readonly protocol: 'native' | 'action'
  readonly children: Readonly<Record<string, Script>>
  readonly sessions: Readonly<Record<string, Script>>
}
