import { createHash } from 'node:crypto'
import { PlatformError } from '@sciencediscovery/kernel'
import {
  type EditFileRequest,
  type EditFileResponse,
  type WorkspaceServiceService,
  type WriteFileRequest,
  type WriteFileResponse,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
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
  const enter = (rpc: string, request: unknown): void => {
    asked.push({ rpc, request })
    const failure = failures.shift()
    if (failure) throw failure
  }
  const service = { ...reads(files, enter), ...writes(files, enter), ...unasked }
  return { service, files, asked, failures }
}

type Service = FakeFiles['service']
type Enter = (rpc: string, request: unknown) => void

const unasked: Pick<
  Service,
  'putFile' | 'downloadFile' | 'downloadArchive' | 'listRunners' | 'globFiles' | 'grepFiles'
> = {
  // Searching is tried against the real runner.
  globFiles: () => Promise.reject(new PlatformError('bug', 'not asked here')),
  grepFiles: () => Promise.reject(new PlatformError('bug', 'not asked here')),
  putFile: () => Promise.reject(new PlatformError('bug', 'not asked by the gateway')),
  downloadFile: () => {
    throw new PlatformError('bug', 'not asked by the gateway')
  },
  downloadArchive: () => {
    throw new PlatformError('bug', 'not asked by the gateway')
  },
  listRunners: () => Promise.resolve({ runners: [] }),
}

function reads(
  files: ReadonlyMap<string, Buffer>,
  enter: Enter,
): Pick<Service, 'listFiles' | 'readFile' | 'resolveFiles'> {
  return {
    listFiles: (request) => {
      enter('listFiles', request)
      const entries = [...files].map(([path, bytes]) => entryOf(path, bytes))
      const left = entries.filter(({ path }) => path > request.after)
      const shown = left.slice(0, request.limit)
      const truncated = shown.length < left.length
      const total = BigInt(entries.length)
      return Promise.resolve({ files: shown, truncated, total, uncommitted: false })
    },
    readFile: (request) => {
      enter('readFile', request)
      const page = pageOf(need(files, request.path), Number(request.offset), request.limit)
      return Promise.resolve({ page, uncommitted: false, path: request.path, spelling: '' })
    },
    resolveFiles: (request) => {
      enter('resolveFiles', request)
      const answers = request.paths.map((path) => {
        const bytes = files.get(path)
        return bytes
          ? { path, file: committed(path, bytes), error: '' }
          : { path, file: undefined, error: `${path} not found` }
      })
      return Promise.resolve({ files: answers })
    },
  }
}

function writes(files: Map<string, Buffer>, enter: Enter): Pick<Service, 'writeFile' | 'editFile'> {
  const written = new Map<string, WriteFileResponse>()
  const edited = new Map<string, EditFileResponse>()
  return {
    writeFile: (request) => {
      enter('writeFile', request)
      const answer = written.get(request.effectKey) ?? write(files, request)
      written.set(request.effectKey, answer)
      return Promise.resolve(answer)
    },
    editFile: (request) => {
      enter('editFile', request)
      const answer = edited.get(request.effectKey) ?? edit(files, request)
      edited.set(request.effectKey, answer)
      return Promise.resolve(answer)
    },
  }
}

function write(files: Map<string, Buffer>, request: WriteFileRequest): WriteFileResponse {
  const { path, effectKey } = request
  if (files.has(path)) {
    throw new PlatformError('already_exists', `${path} exists`, { field: 'path' })
  }
  files.set(path, Buffer.from(request.content))
  const file = committed(path, need(files, path))
  return { file, effects: [changed(effectKey, request.actor?.callId ?? '')] }
}

function edit(files: Map<string, Buffer>, request: EditFileRequest): EditFileResponse {
  const { path, oldString, newString, effectKey } = request
  const text = need(files, path).toString('utf8')
  const replacements = text.split(oldString).length - 1
  if (replacements === 0) {
    throw new PlatformError('invalid', 'old_string: not found', { field: 'old_string' })
  }
  if (replacements > 1 && !request.replaceAll) {
    throw new PlatformError('invalid', `old_string: ${replacements} matches`, {
      field: 'old_string',
      remedy: 'send more of the text around it, or replace_all',
    })
  }
  files.set(path, Buffer.from(text.replaceAll(oldString, newString)))
  const file = committed(path, need(files, path))
  return { replacements, file, effects: [changed(effectKey, request.actor?.callId ?? '')] }
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
  if (bytes.includes(0)) return { ...emptyPage, binary: true, sizeBytes }
  const lines = bytes.toString('utf8').match(/[^\n]*\n|[^\n]+$/g) ?? []
  const shown = lines.slice(offset - 1, offset - 1 + limit)
  const page = { ...emptyPage, mediaType: 'text/plain', encoding: 'utf-8', sizeBytes }
  const totalLines = BigInt(lines.length)
  if (shown.length === 0) return { ...page, totalLines }
  const endLine = BigInt(offset - 1 + shown.length)
  const hasMore = endLine < totalLines
  const nextOffset = hasMore ? endLine + 1n : 0n
  const content = shown.join('')
  return { ...page, content, totalLines, startLine: BigInt(offset), endLine, hasMore, nextOffset }
}

const emptyPage: TextPage = {
  content: '',
  binary: false,
  mediaType: 'application/octet-stream',
  sizeBytes: 0n,
  startLine: 0n,
  endLine: 0n,
  totalLines: 0n,
  hasMore: false,
  nextOffset: 0n,
  nextCharOffset: 0n,
  partialLine: false,
  encoding: '',
}
