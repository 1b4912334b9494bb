import { createHash } from 'node:crypto'
import { PlatformError } from '@sciencediscovery/kernel'
import { type WorkspaceServiceService } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import {
  type CommittedFile,
  type TextPage,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { type Effect } from '@sciencediscovery/proto-gen/tools/v1/tools'
import { type Implementation } from '@sciencediscovery/service-kit'

/** The files service of a runner, in memory: same wire, same refusals, effects kept by key. */
export interface FakeFiles {
  readonly service: Implementation<typeof WorkspaceServiceService>
  readonly files: Map<string, Buffer>
  /** Requests by RPC, as they came. */
  readonly asked: { readonly rpc: string; readonly request: unknown }[]
  /** Thrown by the next call, once. */
  failures: Error[]
}

/** One workspace whose files a test sets up and looks at. */
export function createFakeFiles(): FakeFiles {
  const files = new Map<string, Buffer>()
  const asked: FakeFiles['asked'] = []
  const failures: Error[] = []
  const done = new Map<string, unknown>()
  const enter = (rpc: string, request: unknown): void => {
    asked.push({ rpc, request })
    const failure = failures.shift()
    if (failure) throw failure
  }
  const once = async <T>(key: string, act: () => T): Promise<T> => {
    if (!done.has(key)) done.set(key, act())
    // The key was stored with a value of this very effect.
    return Promise.resolve(done.get(key) as T)
  }
  const service: FakeFiles['service'] = {
    listFiles: (request) => {
      enter('listFiles', request)
      const entries = [...files].map(([path, bytes]) => entryOf(path, bytes))
      const shown = entries.slice(0, request.limit)
      const truncated = shown.length < entries.length
      const total = BigInt(entries.length)
      return Promise.resolve({ files: shown, truncated, total, uncommitted: false })
    },
    readFile: async (request) => {
      enter('readFile', request)
      const bytes = need(files, request.path)
      return Promise.resolve({
        page: pageOf(bytes, Number(request.offset), request.limit),
        uncommitted: false,
      })
    },
    writeFile: async (request) => {
      enter('writeFile', request)
      return once(request.effectKey, () => {
        if (files.has(request.path)) {
          throw new PlatformError('already_exists', `${request.path} exists`, { field: 'path' })
        }
        files.set(request.path, Buffer.from(request.content))
        const file = committed(request.path, need(files, request.path))
        return { file, effects: [changed(request.effectKey, request.actor?.callId ?? '')] }
      })
    },
    editFile: async (request) => {
      enter('editFile', request)
      return once(request.effectKey, () => {
        const text = need(files, request.path).toString('utf8')
        const places = text.split(request.oldString).length - 1
        if (places === 0)
          throw new PlatformError('invalid', 'old_string: not found', { field: 'old_string' })
        if (places > 1 && !request.replaceAll) {
          throw new PlatformError('invalid', `old_string: ${places} matches`, {
            field: 'old_string',
            remedy: 'send more of the text around it, or replace_all',
          })
        }
        files.set(request.path, Buffer.from(text.replaceAll(request.oldString, request.newString)))
        const file = committed(request.path, need(files, request.path))
        const effects = [changed(request.effectKey, request.actor?.callId ?? '')]
        return { replacements: places, file, effects }
      })
    },
    resolveFiles: async (request) => {
      enter('resolveFiles', request)
      const answers = request.paths.map((path) => {
        const bytes = files.get(path)
        return bytes
          ? { path, file: committed(path, bytes), error: '' }
          : { path, file: undefined, error: `${path} not found` }
      })
      return Promise.resolve({ files: answers })
    },
    putFile: () => Promise.reject(new PlatformError('bug', 'not asked by the gateway')),
    downloadFile: () => {
      throw new PlatformError('bug', 'not asked by the gateway')
    },
    listRunners: () => Promise.resolve({ runners: [] }),
  }
  return { service, files, asked, failures }
}

function need(files: ReadonlyMap<string, Buffer>, path: string): Buffer {
  if (path.split('/').includes('..') || path.startsWith('/')) {
    throw new PlatformError('invalid', 'path: leaves the workspace', { field: 'path' })
  }
  const bytes = files.get(path)
  if (bytes) return bytes
  throw new PlatformError('not_found', `${path} not found`, {
    field: 'path',
    remedy: 'list_files shows what is there',
  })
}

function entryOf(
  path: string,
  bytes: Buffer,
): { path: string; sizeBytes: bigint; modifiedAt: string; directory: boolean } {
  const modifiedAt = '2026-01-02T03:04:05.000Z'
  return { path, sizeBytes: BigInt(bytes.length), modifiedAt, directory: false }
}

function committed(path: string, bytes: Buffer): CommittedFile {
  const digest = createHash('sha256').update(bytes).digest('hex')
  return { path, digest, sizeBytes: BigInt(bytes.length), mediaType: 'text/plain' }
}

function changed(effectKey: string, callId: string): Effect {
  const dataJson = JSON.stringify({ effectId: effectKey, callId })
  return { effectId: effectKey, type: 'workspace.changed', version: 1, dataJson }
}

/** A page of whole lines, as the runner cuts them; NUL makes a binary. */
export function pageOf(bytes: Buffer, offset: number, limit: number): TextPage {
  const sizeBytes = BigInt(bytes.length)
  const binary = bytes.includes(0)
  const lines = bytes.toString('utf8').match(/[^\n]*\n|[^\n]+$/g) ?? []
  const shown = binary ? [] : lines.slice(offset - 1, offset - 1 + limit)
  const endLine = shown.length === 0 ? 0 : offset - 1 + shown.length
  const hasMore = !binary && shown.length > 0 && endLine < lines.length
  return {
    content: shown.join(''),
    binary,
    mediaType: binary ? 'application/octet-stream' : 'text/plain',
    sizeBytes,
    startLine: BigInt(shown.length === 0 ? 0 : offset),
    endLine: BigInt(endLine),
    totalLines: BigInt(binary ? 0 : lines.length),
    hasMore,
    nextOffset: BigInt(hasMore ? endLine + 1 : 0),
    nextCharOffset: 0n,
    partialLine: false,
    encoding: binary ? '' : 'utf-8',
  }
}
