import { PlatformError } from '@sciencediscovery/kernel'
import { type CommittedFile } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { z } from 'zod'

/** A committed file as programs read it. */
export const FileSchema = z.strictObject({
  path: z.string(),
  sha256: z.string(),
  sizeBytes: z.int(),
  mediaType: z.string(),
})

/** The file that an owner committed. */
export function toFile(file: CommittedFile | undefined): z.input<typeof FileSchema> {
  if (!file) throw new PlatformError('bug', 'the runner committed no file')
  const { path, digest, sizeBytes, mediaType } = file
  return { path, sha256: digest, sizeBytes: Number(sizeBytes), mediaType }
}
