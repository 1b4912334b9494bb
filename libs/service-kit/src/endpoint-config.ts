import { z } from 'zod'
import { booleanFlag, positiveInteger } from './config-codecs.js'
import { authShape, type AuthVariables } from './grpc/authenticator.js'

/** The variables of a process's one server and of what is told about it. The same names in every service. */
export const endpointShape = {
  SCIENCE_DISCOVERY_HOST: z.string().default('127.0.0.1'),
  SCIENCE_DISCOVERY_TOKEN: z.string().min(16),
  SCIENCE_DISCOVERY_ALLOW_PLAINTEXT: booleanFlag.default(false),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: positiveInteger.optional(),
  GRPC_REFLECTION: booleanFlag.default(false),
  ...authShape,
}

type EndpointVariables = z.output<z.ZodObject<typeof endpointShape>>

/** Where a service listens, whom it lets in, and what it tells about itself. */
export interface EndpointConfig {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** The token by which services know each other. */
  readonly token: string
  /** A host other than loopback without TLS: a mesh encrypts below us. */
  readonly allowPlaintext?: boolean | undefined
  /** Whose signed tokens are taken beside that. */
  readonly auth?: AuthVariables | undefined
  /** Where Prometheus reads; nowhere when absent. 0 takes a free port. */
  readonly metricsAt?: { readonly host: string; readonly port: number } | undefined
  /** Whether clients may ask which calls there are. */
  readonly reflection?: boolean | undefined
}

/** The endpoint that the variables describe. */
export function toEndpointConfig(
  found: EndpointVariables & { readonly SCIENCE_DISCOVERY_PORT: number },
): EndpointConfig {
  const { METRICS_HOST: host, METRICS_PORT: port } = found
  return {
    host: found.SCIENCE_DISCOVERY_HOST,
    port: found.SCIENCE_DISCOVERY_PORT,
    token: found.SCIENCE_DISCOVERY_TOKEN,
    allowPlaintext: found.SCIENCE_DISCOVERY_ALLOW_PLAINTEXT,
    auth: found,
    metricsAt: port === undefined ? undefined : { host, port },
    reflection: found.GRPC_REFLECTION,
  }
}
