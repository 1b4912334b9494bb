import type { Metadata } from '@grpc/grpc-js'

/** The first text value of a header. */
export function headerOf(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name)
  return typeof value === 'string' ? value : undefined
}
