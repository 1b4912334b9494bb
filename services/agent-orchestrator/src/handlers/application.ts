import { type Context } from '../context.js'
import { type RunDriver } from '../reactors/run-driver.js'
import { type SessionDriver } from '../reactors/session-driver.js'
import { type SettingsDefaults } from './session-wire.js'
import { type RunLimits } from '@sciencediscovery/run-events'
import { type Views } from './views.js'

/** What handlers work with besides the context. */
export interface Application {
  readonly ctx: Context
  readonly runs: RunDriver
  readonly sessions: SessionDriver
  readonly views: Views
  /** Defaults of the deployment. */
  readonly defaults: { readonly settings: SettingsDefaults; readonly limits: RunLimits }
}
