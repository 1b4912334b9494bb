import { readFileSync } from 'node:fs'
import { PlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'

const StreamSchema = z.strictObject({
  name: z.string().regex(/^[A-Z0-9_]+(\{shard\})?$/),
  subjects: z.array(z.string()).min(1),
  writer: z.string(),
  maxBytes: z.number().int().positive(),
  about: z.string(),
})

const StreamsFileSchema = z.strictObject({
  about: z.string(),
  duplicateWindowSeconds: z.number().int().positive(),
  maxMessageBytes: z.number().int().positive(),
  streams: z.array(StreamSchema).min(1),
  queues: z.array(StreamSchema),
})

/** The streams as data. */
export type StreamsFile = z.infer<typeof StreamsFileSchema>

const shippedPath = new URL('../../../../deploy/nats/streams.json', import.meta.url)

/** Reads the streams of a file, or those this release ships with. */
export function loadStreamsFile(path: string | URL = shippedPath): StreamsFile {
  try {
    return StreamsFileSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    throw new PlatformError(
      'invalid',
      `streams file ${String(path)} cannot be used: ${String(cause)}`,
      {
        cause,
        remedy: 'compare it with deploy/nats/streams.json of this release',
      },
    )
  }
}

/** A stream as the server is asked for it; the names of the API. */
export interface StreamConfig {
  readonly name: string
  readonly subjects: readonly string[]
  readonly retention: 'limits' | 'workqueue'
  readonly storage: 'file'
  readonly discard: 'new'
  readonly max_bytes: number
  readonly max_msgs: number
  readonly max_age: number
  readonly max_msgs_per_subject: number
  readonly max_msg_size: number
  readonly duplicate_window: number
  readonly allow_direct: boolean
  readonly num_replicas: number
  readonly metadata?: Readonly<Record<string, string>>
}

/** What makes the same file give different streams. */
export interface StreamSetting {
  readonly prefix: string | undefined
  readonly runShards: number
  readonly replicas: number
}

/** Every stream and queue of the file, shards spelled out, under the prefix. */
export function streamConfigs(file: StreamsFile, setting: StreamSetting): readonly StreamConfig[] {
  const one = (
    stream: z.infer<typeof StreamSchema>,
    shard: string,
    retention: 'limits' | 'workqueue',
  ): StreamConfig => ({
    name: prefixedStream(stream.name.replace('{shard}', shard), setting.prefix),
    subjects: stream.subjects.map((subject) =>
      prefixedSubject(subject.replace('{shard}', shard), setting.prefix),
    ),
    retention,
    storage: 'file',
    discard: 'new',
    max_bytes: stream.maxBytes,
    max_msgs: -1,
    max_age: 0,
    max_msgs_per_subject: -1,
    max_msg_size: file.maxMessageBytes,
    duplicate_window: file.duplicateWindowSeconds * 1_000_000_000,
    allow_direct: true,
    num_replicas: setting.replicas,
    ...(shard === '' ? {} : { metadata: { run_shards: String(setting.runShards) } }),
  })
  const shards = Array.from({ length: setting.runShards }, (_, shard) => String(shard))
  return [
    ...file.streams.flatMap((stream) => {
      return (stream.name.includes('{shard}') ? shards : ['']).map((shard) =>
        one(stream, shard, 'limits'),
      )
    }),
    ...file.queues.map((queue) => one(queue, '', 'workqueue')),
  ]
}

/** The server's name of one of our streams. */
export function prefixedStream(stream: string, prefix: string | undefined): string {
  return prefix === undefined ? stream : `${prefix.toUpperCase()}_${stream}`
}

/** The server's subject of one of ours. */
export function prefixedSubject(subject: string, prefix: string | undefined): string {
  return prefix === undefined ? subject : `${prefix}.${subject}`
}
