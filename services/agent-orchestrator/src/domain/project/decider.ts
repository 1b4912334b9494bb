import { type Decider, exhaustive, refused } from '@sciencediscovery/kernel'
import { TimeSchema, defineEvent } from '@sciencediscovery/run-events'
import { z } from 'zod'

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

export const ProjectEventSchema = z.discriminatedUnion('type', [
  ProjectCreatedSchema,
  ProjectRenamedSchema,
  ProjectArchivedSchema,
])
export type ProjectEvent = z.infer<typeof ProjectEventSchema>

export type ProjectState =
  | { readonly status: 'unborn' }
  | {
      readonly status: 'open' | 'archived'
      readonly projectId: string
      readonly title: string
      readonly createdAt: string
      readonly archivedAt: string
    }

export type ProjectCommand =
  /** `implied` by the first session of a project: changes nothing when it exists. */
  | {
      readonly type: 'CreateProject'
      readonly projectId: string
      readonly title: string
      readonly now: string
      readonly implied: boolean
    }
  | { readonly type: 'RenameProject'; readonly title: string; readonly now: string }
  | { readonly type: 'ArchiveProject'; readonly now: string }

/** Invariants of a project: created once; an archived one keeps its title and takes no new sessions. */
export const projectDecider: Decider<ProjectState, ProjectCommand, ProjectEvent> = {
  initialState: () => ({ status: 'unborn' }),
  decide(command, state) {
    switch (command.type) {
      case 'CreateProject':
        return create(command, state)
      case 'RenameProject':
        requireOpen(state)
        return [{ type: 'project.renamed', v: 1, data: { title: command.title, at: command.now } }]
      case 'ArchiveProject':
        return state.status === 'archived' ? [] : [archived(command.now, state)]
      default:
        return exhaustive(command)
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'project.created': {
        const { projectId, title, at } = event.data
        return { status: 'open', projectId, title, createdAt: at, archivedAt: '' }
      }
      case 'project.renamed':
        return state.status === 'unborn' ? state : { ...state, title: event.data.title }
      case 'project.archived':
        return state.status === 'unborn'
          ? state
          : { ...state, status: 'archived', archivedAt: event.data.at }
      default:
        return exhaustive(event)
    }
  },
}

function create(
  command: Extract<ProjectCommand, { type: 'CreateProject' }>,
  state: ProjectState,
): readonly ProjectEvent[] {
  if (state.status === 'archived') {
    throw refused(`project ${command.projectId} is archived`, {
      field: 'project_id',
      remedy: 'use another project',
    })
  }
  if (state.status === 'open') {
    if (command.implied) return []
    throw refused(`project ${command.projectId} exists already`, {
      field: 'project_id',
      reason: 'already_exists',
    })
  }
  const { projectId, title, now } = command
  return [{ type: 'project.created', v: 1, data: { projectId, title, at: now } }]
}

function requireOpen(state: ProjectState): void {
  if (state.status === 'unborn') throw refused('the project does not exist')
  if (state.status === 'archived') throw refused('the project is archived')
}

function archived(now: string, state: ProjectState): ProjectEvent {
  if (state.status === 'unborn') throw refused('the project does not exist')
  return { type: 'project.archived', v: 1, data: { at: now } }
}
