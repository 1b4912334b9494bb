import { type z } from 'zod'
import { toJsonSchema } from './json-schema.js'
import { type ParsedArguments, parseArguments } from './parse-arguments.js'
import {
  type OfferedTool,
  type Profile,
  type Spelling,
  type ToolDeclaration,
  type ToolTraits,
} from './tool.js'

/** How another profile spells a tool: its name, its fields, and what they mean in the tool's own. */
export interface SpellingSpec<Parameters extends z.ZodObject, Args> {
  readonly name: string
  readonly description: string
  readonly parameters: Parameters
  readonly toArguments: (wire: z.output<Parameters>) => Args
}

/** A spelling of a tool whose own arguments are `Args`. */
export function defineSpelling<Parameters extends z.ZodObject, Args>(
  spec: SpellingSpec<Parameters, Args>,
): Spelling<Args> {
  return {
    name: spec.name,
    description: spec.description,
    parameters: spec.parameters,
    parse: (text) => {
      const parsed = parseArguments(spec, text)
      return parsed.ok ? { ok: true, args: spec.toArguments(parsed.args) } : parsed
    },
  }
}

type AnyDeclaration<Parameters extends z.ZodObject> = ToolDeclaration<Parameters, z.ZodType>

/** How a profile spells the tool; undefined when it does not offer it. */
export function spellingOf<Parameters extends z.ZodObject>(
  tool: AnyDeclaration<Parameters>,
  profile: Profile,
): Spelling<z.output<Parameters>> | undefined {
  const spelling = tool.wire?.[profile]
  if (spelling === 'hidden') return undefined
  return (
    spelling ?? {
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters,
      parse: (text): ParsedArguments<z.output<Parameters>> => parseArguments(tool, text),
    }
  )
}

/** The tool as the profile offers it to a model; undefined when it does not. */
export function offerTool<Parameters extends z.ZodObject>(
  tool: AnyDeclaration<Parameters>,
  profile: Profile,
): OfferedTool | undefined {
  const spelling = spellingOf(tool, profile)
  if (!spelling) return undefined
  const { name, description, parameters } = spelling
  return { name, description, parameters: toJsonSchema(parameters), ...traitsOf(tool) }
}

/** What a dispatcher must know of the tool, defaults filled in. */
export function traitsOf<Parameters extends z.ZodObject>(
  tool: AnyDeclaration<Parameters>,
): ToolTraits {
  const { effect, concurrency, replay, deadlineMs, observation = false, output = {} } = tool
  const { selfBounded = false, keep = 'head-and-tail' } = output
  return { effect, concurrency, replay, observation, deadlineMs, output: { selfBounded, keep } }
}
