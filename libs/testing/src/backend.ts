import { isContinuousIntegration } from './config.js'

/** A backend that tests can be run on, or why not. */
export type Backend =
  | { readonly path: string; readonly skip?: undefined }
  | { readonly path?: undefined; readonly skip: string }

/** What is missing: a reason to skip at home, a failure where everything must run. */
export function missingBackend(reason: string): Backend {
  if (isContinuousIntegration) throw new Error(`CI=true and ${reason}`)
  return { skip: reason }
}
