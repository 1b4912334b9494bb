import { once } from 'node:events'
import { createServer } from 'node:http'
import { z } from 'zod'

const ValueSchema = z.object({
  stringValue: z.string().optional(),
  intValue: z.coerce.number().optional(),
})
const AttributesSchema = z.array(z.object({ key: z.string(), value: ValueSchema })).default([])
const ExportSchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: AttributesSchema }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              name: z.string(),
              attributes: AttributesSchema,
              links: z.array(z.object({ traceId: z.string() })).default([]),
            }),
          ),
        }),
      ),
    }),
  ),
})

/** A span as a collector is told of it. */
export interface CollectedSpan {
  readonly service: string
  readonly traceId: string
  readonly name: string
  readonly attributes: Readonly<Record<string, string | number | undefined>>
  readonly linkedTo: readonly string[]
}

/** A collector on loopback that takes OTLP over HTTP, as JSON, and keeps the spans. */
export interface TraceCollector extends AsyncDisposable {
  /** For `OTEL_*`: what a process is told, to send its spans here soon. */
  readonly env: Readonly<Record<string, string>>
  readonly spans: readonly CollectedSpan[]
}

/** Starts one on a free port. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      if (request.url === '/v1/traces') spans.push(...spansIn(Buffer.concat(pieces).toString()))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    spans,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function spansIn(body: string): readonly CollectedSpan[] {
  return ExportSchema.parse(JSON.parse(body)).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(recordOf(resource.attributes)['service.name'])
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, name, attributes, links }) => ({
        ...{ service, traceId, name, attributes: recordOf(attributes) },
        linkedTo: links.map((link) => link.traceId),
      })),
    )
  })
}

function recordOf(attributes: z.infer<typeof AttributesSchema>): CollectedSpan['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
  )
}
