import { z } from 'zod'
import { previewKinds } from './preview-kind.js'

/** Where artifacts come from (S-03, S-06). */
export const artifactOrigins = [
  'agent',
  'upload',
  'mcp-download',
  'remote-compute',
  'subagent',
  'system',
  'tool',
] as const

/** Content became a version of an artifact; the first one makes the artifact. Answers one DeclareVersion. */
export const ArtifactVersionDeclaredSchema = z.object({
  type: z.literal('artifact.version.declared'),
  v: z.literal(1),
  data: z.object({
    projectId: z.string(),
    artifactId: z.string(),
    name: z.string(),
    kind: z.enum(previewKinds),
    versionId: z.string(),
    /** 1-based and dense. */
    version: z.number().int().positive(),
    /** Who asks with this key again gets this version. */
    effectKey: z.string(),
    sha256: z.string(),
    sizeBytes: z.number().int().nonnegative(),
    mediaType: z.string(),
    sourcePath: z.string(),
    origin: z.enum(artifactOrigins),
    description: z.string(),
    workspaceId: z.string(),
    sessionId: z.string(),
    /** As it was then: an artifact outlives its session (S-04). */
    sessionTitle: z.string(),
    /** Empty for people, like call and agent. */
    runId: z.string(),
    callId: z.string(),
    agentId: z.string(),
    at: z.string(),
  }),
})
export type ArtifactVersionDeclared = z.infer<typeof ArtifactVersionDeclaredSchema>

export const ArtifactEventSchema = z.discriminatedUnion('type', [ArtifactVersionDeclaredSchema])
export type ArtifactEvent = z.infer<typeof ArtifactEventSchema>
