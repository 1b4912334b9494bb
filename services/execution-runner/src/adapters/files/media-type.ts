import { fileTypeFromBuffer } from 'file-type'
import { lookup } from 'mime-types'
import { encodingOf } from '@sciencediscovery/text-page'

/** By content where it says something, then by name. */
export async function mediaTypeOf(start: Uint8Array, path: string): Promise<string> {
  const byContent = await fileTypeFromBuffer(start).catch(() => undefined)
  if (byContent) return byContent.mime
  const byName = lookup(path)
  if (byName !== false) return byName
  return encodingOf(start) ? 'text/plain' : 'application/octet-stream'
}
