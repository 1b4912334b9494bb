export { defineTool, permissionNeedOf, type ToolSpec } from './define-tool.js'
export { defineSpelling, spellingOf, offerTool, traitsOf, type SpellingSpec } from './spelling.js'
export {
  profiles,
  type Profile,
  type Tool,
  type ToolDeclaration,
  type ToolHandler,
} from './tool.js'
export { type ToolTraits, type OfferedTool, type Preparation, type PreparedCall } from './tool.js'
export { type Spelling, type ToolEffectClass } from './tool.js'
export {
  type Asker,
  type PermissionAction,
  type PermissionNeed,
  type PermissionRule,
} from './tool.js'
export { parseArguments, argumentLimits, type ParsedArguments } from './parse-arguments.js'
export { toJsonSchema, type JsonSchema } from './json-schema.js'
export { okResult, errorResult, maxFailureMessageChars } from './tool-result.js'
export {
  type ToolResult,
  type ToolFailure,
  type ToolEffect,
  type FailureSpec,
} from './tool-result.js'
export { failureOf } from './platform-failure.js'
export { findJsonProblem, type JsonProblem } from './json-problem.js'
export { offsetOfExcessNesting } from './json-nesting.js'
