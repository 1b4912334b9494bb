import { TimeSchema, defineEvent } from '@sciencediscovery/run-events'
import { z } from 'zod'

/** What a member may do: look, work, or run the project. Each includes the one before. */
export const ProjectRoleSchema = z.enum(['viewer', 'member', 'admin'])
export type ProjectRole = z.infer<typeof ProjectRoleSchema>

/** A project begins: always the first event. */
export const ProjectCreatedSchema = defineEvent(
  'project.created',
  1,
  z.object({ projectId: z.string(), title: z.string(), at: TimeSchema }),
)
/** The project got another title. */
export const ProjectRenamedSchema = defineEvent(
  'project.renamed',
  1,
  z.object({ title: z.string(), at: TimeSchema }),
)
/** The project takes no new sessions. */
export const ProjectArchivedSchema = defineEvent(
  'project.archived',
  1,
  z.object({ at: TimeSchema }),
)
/** Somebody belongs to the project from now on; whoever creates one is its first admin, by themselves. */
export const ProjectMemberAddedSchema = defineEvent(
  'project.member.added',
  1,
  z.object({ principalId: z.string(), role: ProjectRoleSchema, by: z.string(), at: TimeSchema }),
)
/** A member may do more, or less, than before. */
export const ProjectMemberRoleSetSchema = defineEvent(
  'project.member.role_set',
  1,
  z.object({ principalId: z.string(), role: ProjectRoleSchema, by: z.string(), at: TimeSchema }),
)
/** Somebody belongs to the project no more. */
export const ProjectMemberRemovedSchema = defineEvent(
  'project.member.removed',
  1,
  z.object({ principalId: z.string(), by: z.string(), at: TimeSchema }),
)

export const ProjectEventSchema = z.discriminatedUnion('type', [
  ProjectCreatedSchema,
  ProjectRenamedSchema,
  ProjectArchivedSchema,
  ProjectMemberAddedSchema,
  ProjectMemberRoleSetSchema,
  ProjectMemberRemovedSchema,
])
export type ProjectEvent = z.infer<typeof ProjectEventSchema>
