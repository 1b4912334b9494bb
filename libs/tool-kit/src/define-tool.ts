import { type z } from 'zod'
import { offerTool, spellingOf, traitsOf } from './spelling.js'
import { errorResult } from './tool-result.js'
import {
  type Asker,
  type PermissionNeed,
  type PermissionRule,
  type Preparation,
  type Profile,
  type Tool,
  type ToolDeclaration,
  type ToolHandler,
} from './tool.js'

/** What makes a tool: its declaration, and the handler that does it. */
export interface ToolSpec<
  Parameters extends z.ZodObject,
  Details extends z.ZodType,
  Context,
> extends ToolDeclaration<Parameters, Details> {
  readonly handler: ToolHandler<z.output<Parameters>, z.input<Details>, Context>
}

/** A tool and the way it is done; the types of arguments and details come from its schemas. */
export function defineTool<Parameters extends z.ZodObject, Details extends z.ZodType, Context>(
  spec: ToolSpec<Parameters, Details, Context>,
): Tool<Context> {
  return {
    name: spec.name,
    traits: traitsOf(spec),
    offer: (profile) => offerTool(spec, profile),
    prepare: (profile, text, asker = nobody) => prepare(spec, { profile, text, asker }),
  }
}

interface Asked {
  readonly profile: Profile
  readonly text: string
  readonly asker: Asker
}

const nobody: Asker = { runnerId: '' }

function prepare<Parameters extends z.ZodObject, Details extends z.ZodType, Context>(
  spec: ToolSpec<Parameters, Details, Context>,
  { profile, text, asker }: Asked,
): Preparation<Context> {
  const spelling = spellingOf(spec, profile)
  if (!spelling) {
    const message = `${spec.name} is not offered here; call one of the offered tools`
    return { ok: false, result: errorResult({ code: 'UNKNOWN_TOOL', message }) }
  }
  const parsed = spelling.parse(text)
  if (!parsed.ok) return parsed
  const { args } = parsed
  const permission = permissionNeedOf(spelling.name, spec.permission, { args, asker })
  return { ok: true, call: { permission, run: (context) => spec.handler(args, context) } }
}

/** What a call with these arguments needs to be allowed; undefined when it needs nothing. */
export function permissionNeedOf<Args>(
  name: string,
  rule: PermissionRule<Args> | undefined,
  { args, asker = nobody }: { readonly args: Args; readonly asker?: Asker },
): PermissionNeed | undefined {
  if (rule === undefined) return undefined
  return typeof rule === 'function'
    ? rule(args, asker)
    : { action: rule.action, resource: rule.resource, summary: `${name} wants to run` }
}
