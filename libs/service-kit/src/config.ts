import { PlatformError } from '@sciencediscovery/kernel'
import type { z } from 'zod'
import type { Logger } from './logger.js'

/** Variables by name, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What loading may say and which old names it accepts. */
export interface ConfigOptions {
  readonly logger?: Pick<Logger, 'warn'> | undefined
  /** New name → old name that is still read when the new one is not set. */
  readonly renamed?: Readonly<Record<string, string>> | undefined
}

const renamedVariables = { SCIENCE_DISCOVERY_DATA_DIR: 'SCIENCE_AGENT_DATA_DIR' }

/**
 * The configuration of a process from its environment. Every problem is named at once, with the
 * variable and what to send; never a value, for it may be a secret. An empty variable counts as not set.
 */
export function loadConfig<Schema extends z.ZodType>(
  schema: Schema,
  env: Environment,
  options: ConfigOptions = {},
): z.output<Schema> {
  const variables = withOldNames(withoutEmpty(env), options)
  const result = schema.safeParse(variables)
  if (result.success) return result.data
  const problems = result.error.issues.map((issue) => `  ${describe(issue, variables)}`)
  throw new PlatformError('invalid', `the environment does not fit:\n${problems.join('\n')}`, {
    field: [...new Set(result.error.issues.map((issue) => issue.path.join('.')))].join(', '),
    remedy: 'set or correct the named variables and start again',
  })
}

function withoutEmpty(env: Environment): Record<string, string> {
  const entries = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value] as const],
  )
  return Object.fromEntries(entries)
}

function withOldNames(
  env: Readonly<Record<string, string>>,
  { logger, renamed }: ConfigOptions,
): Record<string, string> {
  const result = { ...env }
  for (const [name, oldName] of Object.entries({ ...renamedVariables, ...renamed })) {
    const value = env[oldName]
    if (value === undefined || env[name] !== undefined) continue
    logger?.warn({ variable: oldName, use: name }, 'an old variable name is read as fallback')
    result[name] = value
  }
  return result
}

/** Our own words say what is expected; zod's may repeat what was received. */
function describe(issue: z.core.$ZodIssue, variables: Readonly<Record<string, string>>): string {
  const name = issue.path.join('.')
  if (name === '') return expectation(issue)
  return variables[name] === undefined
    ? `${name}: is not set; ${expectation(issue)}`
    : `${name}: ${expectation(issue)}`
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `send a ${issue.expected}`
    case 'invalid_value':
      return `send one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `send at least ${issue.minimum}${unitOf(issue.origin)}`
    case 'too_big':
      return `send at most ${issue.maximum}${unitOf(issue.origin)}`
    case 'not_multiple_of':
      return `send a multiple of ${issue.divisor}`
    case 'invalid_format':
      return `send a value of the form ${issue.pattern ?? issue.format}`
    case 'unrecognized_keys':
      return `do not set ${issue.keys.join(', ')}`
    case 'custom':
      return issue.message
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
      return 'send a value of the documented form'
  }
}

function unitOf(origin: string): string {
  return origin === 'string' ? ' characters' : ''
}
