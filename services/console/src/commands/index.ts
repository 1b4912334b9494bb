import { registerApprove } from './approve.js'
import { registerArtifacts } from './artifacts.js'
import type { Register } from './command.js'
import { registerDoctor } from './doctor.js'
import { registerFiles } from './files.js'
import { registerLogs } from './logs.js'
import { registerPlan } from './plan.js'
import { registerProvenance } from './provenance.js'
import { registerRun } from './run.js'
import { registerRuns } from './runs.js'
import { registerSessions } from './sessions.js'
import { registerStop } from './stop.js'
import { registerUp } from './up.js'
import { registerWatch } from './watch.js'

/** Every command, in the order of the help page. */
export const commands: readonly Register[] = [
  registerUp,
  registerRun,
  registerWatch,
  registerRuns,
  registerSessions,
  registerPlan,
  registerArtifacts,
  registerProvenance,
  registerFiles,
  registerLogs,
  registerApprove,
  registerStop,
  registerDoctor,
]
