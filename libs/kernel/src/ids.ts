declare const brand: unique symbol

/** A string that only its own kind of place accepts. */
export type Brand<Name extends string> = string & { readonly [brand]: Name }

/** A project: the unit of membership, budget and artifact names. */
export type ProjectId = Brand<'ProjectId'>
/** A session: one conversation of one main agent. */
export type SessionId = Brand<'SessionId'>
/** A run: one input worked through to its end. */
export type RunId = Brand<'RunId'>
/** An agent: the main agent of a session, or a sub-agent. */
export type AgentId = Brand<'AgentId'>
/** A workspace: the files of one agent on one runner pool. */
export type WorkspaceId = Brand<'WorkspaceId'>
/** One sandboxed process tree in a workspace. */
export type ExecutionId = Brand<'ExecutionId'>
/** An artifact: a named, versioned result of a project. */
export type ArtifactId = Brand<'ArtifactId'>
/** A tool call as the model named it: unique only together with its run. */
export type CallId = Brand<'CallId'>
/** A permission request. */
export type RequestId = Brand<'RequestId'>
/** One running process of a service; new at every start. */
export type ReplicaId = Brand<'ReplicaId'>
/** Names a command: the same command asked twice is done once. */
export type CommandId = Brand<'CommandId'>
/** Names a commit: hash of subject and command id. */
export type CommitId = Brand<'CommitId'>
/** SHA-256 in lower-case hex. */
export type Digest = Brand<'Digest'>
