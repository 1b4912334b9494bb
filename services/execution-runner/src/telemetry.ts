import { startTelemetry } from '@sciencediscovery/service-kit'
import { environment } from './config.js'

// Loaded with --import before main: the only file that knows the SDK, and it loads it only when asked to.
await startTelemetry('execution-runner', environment, async (serviceName) => {
  const { NodeSDK } = await import('@opentelemetry/sdk-node')
  return new NodeSDK({ serviceName })
})
