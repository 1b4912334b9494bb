import { type Migration, checkpointMigration } from '@sciencediscovery/db'
import { type View, viewMigrations } from '@sciencediscovery/projection'
import { membersView } from '../../projections/members-view.js'
import { planView } from '../../projections/plan-view.js'
import { projectsView } from '../../projections/projects-view.js'
import { runsView } from '../../projections/runs-view.js'
import { sessionsView } from '../../projections/sessions-view.js'
import { toolOutputsView } from '../../projections/tool-outputs-view.js'
import { transcriptView } from '../../projections/transcript-view.js'
import { type Schema } from '../schema.js'

/** Every view of this service. */
export const views: readonly View<Schema>[] = [
  runsView,
  planView,
  transcriptView,
  sessionsView,
  projectsView,
  toolOutputsView,
  membersView,
]

/** Everything this service's schema is made of, in order. */
export const migrations: readonly Migration[] = [checkpointMigration, ...viewMigrations(views)]
