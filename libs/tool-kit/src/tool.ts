import { type z } from 'zod'
import { type JsonSchema } from './json-schema.js'
import { type ParsedArguments } from './parse-arguments.js'
import { type ToolFailure, type ToolResult } from './tool-result.js'

/** How an agent spells its tools (C-09). */
export const profiles = ['science', 'harness', 'registry'] as const
export type Profile = (typeof profiles)[number]

/** What a call does to the world. */
export type ToolEffectClass =
  'read' | 'write' | 'execute' | 'network' | 'model' | 'external_process'

/** The classes of what a person may be asked about. */
export type PermissionAction =
  'code' | 'connector' | 'host' | 'directory' | 'artifact_download' | 'remote_job' | 'evolve'

/** What a call needs to be allowed, with one line for people. */
export interface PermissionNeed {
  readonly action: PermissionAction
  readonly resource: string
  readonly summary: string
}

/** Who calls, as far as it decides what a call needs to be allowed. */
export interface Asker {
  /** The runner pool that the agent works on when it names none. */
  readonly runnerId: string
}

/** The same need for every call, or one that the arguments decide; undefined asks for nothing. */
export type PermissionRule<Args> =
  | { readonly action: PermissionAction; readonly resource: string }
  | ((args: Args, asker: Asker) => PermissionNeed | undefined)

/** The same tool under another profile's name and fields (C-09). */
export interface Spelling<Args> {
  readonly name: string
  readonly description: string
  readonly parameters: z.ZodObject
  readonly parse: (text: string) => ParsedArguments<Args>
}

/** Everything about a tool but how it is done. */
export interface ToolDeclaration<Parameters extends z.ZodObject, Details extends z.ZodType> {
  readonly name: string
  readonly description: string
  /** A strict object. */
  readonly parameters: Parameters
  readonly effect: ToolEffectClass
  readonly permission?: PermissionRule<z.output<Parameters>>
  /** Whether it may run beside other calls of its turn. */
  readonly concurrency: 'shared' | 'exclusive'
  /** What may be done with a call whose outcome was lost. */
  readonly replay: 'pure' | 'keyed' | 'unknown-on-crash'
  /** Repeats legitimately with equal arguments while what it observes changes. */
  readonly observation?: boolean
  /** Longest time a call may take; 0 means no limit of its own. */
  readonly deadlineMs: number
  /** Whether the tool bounds its own output, and which end matters when it is cut (S-20, C-26). */
  readonly output?: { readonly selfBounded?: boolean; readonly keep?: 'head-and-tail' | 'tail' }
  /** Shape of `details` of a success. */
  readonly details: Details
  /** Other spellings; `hidden` takes the tool out of a profile. A profile without an entry uses the tool's own. */
  readonly wire?: Partial<Readonly<Record<Profile, Spelling<z.output<Parameters>> | 'hidden'>>>
}

/** How a tool is done. */
export type ToolHandler<Args, Details, Context> = (
  args: Args,
  context: Context,
) => Promise<ToolResult<Details | ToolFailure>>

/** A call whose arguments are right: what it needs, and how to make it. */
export interface PreparedCall<Context> {
  readonly permission: PermissionNeed | undefined
  readonly run: (context: Context) => Promise<ToolResult>
}

/** A call, or the result that tells the model what is wrong with it. */
export type Preparation<Context> =
  | { readonly ok: true; readonly call: PreparedCall<Context> }
  | { readonly ok: false; readonly result: ToolResult }

/** What a dispatcher must know of a tool besides its arguments. */
export interface ToolTraits {
  readonly effect: ToolEffectClass
  readonly concurrency: 'shared' | 'exclusive'
  readonly replay: 'pure' | 'keyed' | 'unknown-on-crash'
  readonly observation: boolean
  readonly deadlineMs: number
  readonly output: { readonly selfBounded: boolean; readonly keep: 'head-and-tail' | 'tail' }
}

/** A tool as a model is offered it. */
export interface OfferedTool extends ToolTraits {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
}

/** A tool as a dispatcher sees it: the types of its arguments stay inside. */
export interface Tool<Context> {
  readonly name: string
  readonly traits: ToolTraits
  /** Undefined when the profile hides it. */
  readonly offer: (profile: Profile) => OfferedTool | undefined
  readonly prepare: (profile: Profile, argumentsText: string, asker?: Asker) => Preparation<Context>
}
