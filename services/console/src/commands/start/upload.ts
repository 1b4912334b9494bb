import type {
  UploadFileRequest,
  UploadFileResponse,
} from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { Conflict } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { isPlatformError } from '@sciencediscovery/kernel'
import { delay } from '@sciencediscovery/service-kit'
import type { CommandContext } from '../../context.js'
import type { InputFile } from './input-option.js'

/** Session whose workspace gets the file. */
interface Place {
  readonly projectId: string
  readonly sessionId: string
}

const attempts = 4

/** A file to upload, and what to do where its destination is taken. */
export interface Upload extends InputFile {
  readonly conflict: Conflict
}

/** Uploads an input of a task: what is there already is replaced. */
export async function uploadInput(
  context: CommandContext,
  place: Place,
  input: InputFile,
): Promise<void> {
  await uploadFile(context, place, { ...input, conflict: Conflict.CONFLICT_OVERWRITE })
}

/** Uploads the file under one key, so that trying again after a lost answer uploads once. */
export async function uploadFile(
  context: CommandContext,
  place: Place,
  upload: Upload,
): Promise<UploadFileResponse> {
  const idempotencyKey = context.createKey()
  const signal = context.interrupts.stop
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { artifacts } = await context.stack.clients(signal)
      return await artifacts.uploadFile(parts(context, place, upload, idempotencyKey), { signal })
    } catch (error) {
      const passing = isPlatformError(error) && ['unavailable', 'unknown'].includes(error.code)
      if (!passing || attempt >= attempts) throw error
      await delay(context.patience.pauseMs * attempt, signal)
    }
  }
}

async function* parts(
  { files }: CommandContext,
  { projectId, sessionId }: Place,
  { path, destination, conflict }: Upload,
  idempotencyKey: string,
): AsyncGenerator<UploadFileRequest, void, undefined> {
  const start = { idempotencyKey, projectId, sessionId, path: destination, conflict }
  yield { part: { $case: 'start', value: start } }
  for await (const content of files.pieces(path))
    yield { part: { $case: 'content', value: content } }
}
