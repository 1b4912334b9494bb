import { type AggregateType } from '@sciencediscovery/event-store'
import { type ArtifactCommand } from './domain/artifact/commands.js'
import { artifactDecider, type ArtifactState } from './domain/artifact/decider.js'
import { type ArtifactEvent, ArtifactEventSchema } from './domain/artifact/events.js'

/** How artifacts are stored. */
export const artifactType: AggregateType<ArtifactState, ArtifactCommand, ArtifactEvent> = {
  decider: artifactDecider,
  parse: (event) => ArtifactEventSchema.parse(event),
  record: (event) => event,
}
