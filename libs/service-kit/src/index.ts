export { type Call, type Principal, type RawCall } from './grpc/call.js'
export { projectRoles, accessRows, isAtLeast } from './access/access-rule.js'
export { type AccessRule, type AccessTable } from './access/access-rule.js'
export { type IdKind, type ProjectRole } from './access/access-rule.js'
export { accessTable } from './access/access-table.js'
export { createGuard, isOwner, isService, notEnough } from './access/guard.js'
export { type AccessOptions, type Guard, type Memberships } from './access/guard.js'
export { grpcMemberships, fromWireRole, toWireRole } from './access/grpc-memberships.js'
export {
  type RpcMethod,
  type ServiceDefinition,
  type RequestOf,
  type ResponseOf,
} from './grpc/method.js'
export { type Unary, type ServerStream, type ClientStream } from './grpc/method.js'
export { type HandlerOf, type Implementation } from './grpc/method.js'
export { createGrpcServer, type GrpcServer, type GrpcServerOptions } from './grpc/server.js'
export { type CallReport } from './grpc/call-desk.js'
export { type Health, type HealthName } from './grpc/health.js'
export { type ServerTls, type ChannelTls } from './grpc/transport-security.js'
export { connectChannel, type Channel, type ChannelOptions } from './grpc/channel.js'
export { type RawCallOptions } from './grpc/raw-calls.js'
export { rpcClient, type RpcClient, type RpcOptions, type CallerOf } from './grpc/rpc-client.js'
export { type RawMethod, type RawService } from './grpc/raw-service.js'
export { proxyService, passedOn } from './grpc/proxy-service.js'
export { type Authenticate, bearerToken } from './grpc/authentication.js'
export {
  serviceToken,
  serviceTokenAuth,
  staticTokenAuth,
  type StaticToken,
} from './grpc/static-token-auth.js'
export { jwtAuth, type JwtAuthOptions } from './grpc/jwt-auth.js'
export { authenticatorOf, authShape, loadAuth } from './grpc/authenticator.js'
export { type AuthenticatorOptions, type AuthVariables } from './grpc/authenticator.js'
export { toStatusCode, fromStatusCode } from './grpc/error-table.js'
export { toErrorStatus, fromErrorStatus, type ErrorStatus } from './grpc/error-status.js'
export { defaultMaxMessageBytes } from './grpc/limits.js'
export { untilAborted } from './grpc/until-aborted.js'
export { type Logger, type LogFields } from './logger.js'
export { chainTraceparent, inSpan, traceparentOf, withTraceparent } from './trace.js'
export { toAbortError } from './abort-error.js'
export { withDeadline } from './with-deadline.js'
export { delay } from './delay.js'
export { waitFor, type WaitOptions } from './wait-for.js'
export { createId } from './create-id.js'
export { loadConfig, type Environment, type ConfigOptions } from './config.js'
export {
  booleanFlag,
  positiveInteger,
  wholeNumber,
  bytes,
  milliseconds,
  oneOf,
} from './config-codecs.js'
export { endpointShape, toEndpointConfig, type EndpointConfig } from './endpoint-config.js'
export { openEndpoint, type EndpointParts } from './open-endpoint.js'
export { createLifecycle, type Lifecycle } from './lifecycle.js'
export { runService, type RunOptions } from './run-service.js'
export { createLogger, type LoggerOptions } from './create-logger.js'
export { secretRedactor, redactDeep, type Redact } from './secret-redactor.js'
export { viewMeters, type ViewMeters } from './view-meters.js'
export { isTelemetryOn, startTelemetry, type TelemetrySdk } from './telemetry.js'
export { createMetrics, type Metrics, type MetricOptions } from './metrics.js'
export { type Counter, type Gauge, type Histogram } from './metrics.js'
export {
  startMetricsServer,
  type MetricsServer,
  type MetricsServerOptions,
} from './metrics-server.js'
export { type Labels } from './metric-family.js'
export { infrastructureShape, openInfrastructure } from './infrastructure.js'
export { type Infrastructure, type InfrastructureVariables } from './infrastructure.js'
export { blobShape, openBlobs, parseBlobUrl } from './open-blobs.js'
export { type BlobVariables, type OpenedBlobs } from './open-blobs.js'
export { poolAddresses } from './pool-addresses.js'
