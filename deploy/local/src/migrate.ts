import { migrations as artifactStore } from '@sciencediscovery/artifact-store'
import { migrations as agentOrchestrator } from '@sciencediscovery/agent-orchestrator'
import { migrate, openDatabase } from '@sciencediscovery/db'
import {
  createLogger,
  infrastructureShape,
  loadConfig,
  openInfrastructure,
} from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { environment } from './config.js'

// The only process that changes a schema on a server: a job before a release, never a serving process.
const logger = createLogger('migrate')
const config = loadConfig(
  z.object({ PG_URL: z.string().optional(), ...infrastructureShape }),
  environment,
)

if (config.PG_URL !== undefined) {
  for (const [schema, migrations] of Object.entries({
    agent_orchestrator: agentOrchestrator,
    artifact_store: artifactStore,
  })) {
    await using database = await openDatabase({ url: config.PG_URL, schema, logger })
    logger.info({ schema, applied: await migrate(database, migrations) }, 'database is up to date')
  }
}
if (config.NATS_URL !== undefined) {
  await using infrastructure = await openInfrastructure(config, '.')
  logger.info({ notes: (await infrastructure.store.describe()).notes }, 'streams are up to date')
}
