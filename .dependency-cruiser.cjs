const SERVICE = '^services/([^/]+)/src/'
const infra = (name) => `node_modules/(${name})/`

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphan',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [
          '\\.test\\.ts$',
          '(^|/)(main|telemetry|vitest\\.config)\\.ts$',
          'migrations/',
          '^test/',
          '-worker\\.js$',
          '/bin/',
        ],
      },
      to: {},
    },
    {
      name: 'services-are-islands',
      comment: 'Talk over proto or events.',
      severity: 'error',
      from: { path: SERVICE },
      to: { path: '^services/([^/]+)/', pathNot: '^services/$1/' },
    },
    {
      name: 'libs-below-services',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^(services|deploy)/' },
    },
    {
      name: 'libs-layer-1',
      comment: 'Foundations know only the kernel.',
      severity: 'error',
      from: {
        path: '^libs/(run-events|proto-gen|db|event-store|blob-store|tool-kit|text-page)/',
        pathNot: '\\.test\\.ts$',
      },
      to: { path: '^libs/', pathNot: '^libs/($1|kernel)/' },
    },
    {
      name: 'libs-layer-2',
      severity: 'error',
      from: { path: '^libs/(projection|service-kit)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^libs/', pathNot: '^libs/($1|kernel|db|event-store|blob-store|proto-gen)/' },
    },
    {
      name: 'lib-public-entry',
      comment: 'Import a lib by its name, never by a path inside it.',
      severity: 'error',
      from: { path: '^(services|test|deploy)/' },
      to: { path: '^libs/[^/]+/src/(?!index\\.ts$)', pathNot: '^libs/proto-gen/' },
    },
    {
      name: 'kernel-is-bottom',
      severity: 'error',
      from: { path: '^libs/kernel/src', pathNot: '\\.test\\.ts$' },
      to: { pathNot: '^libs/kernel/src' },
    },
    {
      name: 'domain-is-pure',
      severity: 'error',
      from: { path: '^services/[^/]+/src/domain/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: ['^services/[^/]+/src/domain/', '^libs/(kernel|run-events)/', infra('zod')] },
    },
    {
      name: 'projections-read-events-only',
      severity: 'error',
      from: { path: '^services/[^/]+/src/projections/', pathNot: '\\.test\\.ts$' },
      to: { path: '^services/[^/]+/src/(handlers|reactors|adapters|service|main)' },
    },
    {
      name: 'only-the-root-wires',
      severity: 'error',
      from: {
        path: '^services/[^/]+/src/',
        pathNot: [
          '/src/(service|main|scid|index|open-[a-z-]+)\\.ts$',
          '(\\.test|-fixture[a-z-]*)\\.ts$',
          '/src/adapters/',
        ],
      },
      to: { path: '^services/[^/]+/src/adapters/' },
    },
    {
      name: 'nats-behind-event-store',
      severity: 'error',
      from: { pathNot: ['^libs/(event-store|testing)/', '^test/'] },
      to: { path: infra('nats') },
    },
    {
      name: 'pg-behind-db',
      severity: 'error',
      from: { pathNot: ['^libs/(db|testing)/', '^test/'] },
      to: { path: infra('pg|@types/pg|@electric-sql/pglite') },
    },
    {
      name: 's3-behind-blob-store',
      severity: 'error',
      from: { pathNot: ['^libs/blob-store/', '^test/'] },
      to: { path: infra('@aws-sdk') },
    },
    {
      name: 'grpc-at-the-edge',
      severity: 'error',
      from: {
        pathNot: [
          '^libs/(service-kit|proto-gen|testing)/',
          '^services/[^/]+/src/(handlers|adapters|service)',
          '^test/',
        ],
      },
      to: { path: infra('@grpc/grpc-js') },
    },
    {
      name: 'otel-sdk-at-boot',
      severity: 'error',
      from: { pathNot: ['^libs/(service-kit|testing)/', '/src/telemetry\\.ts$'] },
      to: { path: infra('@opentelemetry/(?!api).+') },
    },
    {
      name: 'src-not-to-test',
      severity: 'error',
      from: { pathNot: ['(\\.test|-fixture[a-z-]*)\\.ts$', '^libs/testing/', '^test/'] },
      to: { path: ['(\\.test|-fixture[a-z-]*)\\.ts$', '^libs/testing/', '^test/'] },
    },
    { name: 'not-to-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default', 'types'],
    },
    exclude: { path: ['^libs/proto-gen/src/.*', '/dist/'] },
  },
}
