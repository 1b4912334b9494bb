import {
  Severity,
  type Finding,
} from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import type { ConsoleConfig } from '../config.js'

/** What the console says about itself: who gets in, and who is told. */
export function ownFindings(config: ConsoleConfig): readonly Finding[] {
  return [wayIn(config), metrics(config), traces(config)]
}

function wayIn({ accessToken, auth }: ConsoleConfig): Finding {
  const owner = accessToken === undefined ? [] : ["the owner's token"]
  const issuer = auth?.AUTH_ISSUER === undefined ? [] : [`signed tokens of ${auth.AUTH_ISSUER}`]
  return ok('console/access', `takes ${[...owner, ...issuer].join(' and ')}`)
}

function metrics({ metricsAt }: ConsoleConfig): Finding {
  if (!metricsAt) return ok('console/metrics', 'not served: METRICS_PORT is not set')
  return ok('console/metrics', `at http://${metricsAt.host}:${metricsAt.port}/metrics`)
}

function traces({ telemetry }: ConsoleConfig): Finding {
  const message = telemetry === true ? 'sent, as OTEL_* say' : 'not sent: OTEL_* name no collector'
  return ok('console/traces', message)
}

function ok(name: string, message: string): Finding {
  return { name, severity: Severity.SEVERITY_OK, message, remedy: '' }
}
