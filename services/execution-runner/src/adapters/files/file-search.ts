import { Worker } from 'node:worker_threads'
import { PlatformError, invalid } from '@sciencediscovery/kernel'
import { withDeadline } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import {
  type FileListing,
  type FilesPlace,
  type GlobOrder,
  type GrepFindings,
  type GrepOrder,
} from '../../workspace-files.js'
import { findRipgrep } from './find-ripgrep.js'
import { type SearchCommand, searchWall } from './search-wall.js'

/** Finds files and lines of one workspace. */
export interface FileSearch {
  glob(place: FilesPlace, order: GlobOrder, signal: AbortSignal): Promise<FileListing>
  grep(place: FilesPlace, order: GrepOrder, signal: AbortSignal): Promise<GrepFindings>
}

/** A larger file is not searched for lines (H-04). */
export const maxSearchedFileBytes = 10 * 1024 * 1024
const timeoutMs = 30_000
const pageBytes = 40 * 1024

/**
 * Searches in a thread of its own, and lines by ripgrep behind a wall that shows it the files and
 * nothing else, read-only: a link or an exchanged directory leads nowhere, and a read leaves no access
 * time. A pattern that takes too long ends with the thread.
 */
export function createFileSearch(bwrapPath: string): FileSearch {
  return {
    glob: async ({ filesDirectory: root }, order, signal) =>
      ListingSchema.parse(await inThread({ kind: 'glob', root, ...order }, signal)),
    grep: async (place, order, signal) => {
      const wall = await searchWall(bwrapPath, place, ripgrepArguments(await ripgrep(), order))
      const task = {
        ...{ kind: 'grep', root: place.filesDirectory, wall, uid: place.uid ?? null },
        ...{ base: directoryOf(order), only: order.at.kind === 'file' ? order.at.path : null },
        ...{ glob: order.glob, limit: order.limit, after: order.after },
        ...{ maxFileBytes: maxSearchedFileBytes, pageBytes },
      }
      return FindingsSchema.parse(await inThread(task, signal))
    },
  }
}

const ListingSchema = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      sizeBytes: z.number(),
      modifiedAtMs: z.number(),
      directory: z.boolean(),
    }),
  ),
  total: z.number(),
  truncated: z.boolean(),
})

const FindingsSchema = z.object({
  hits: z.array(
    z.object({
      path: z.string(),
      line: z.number(),
      column: z.number(),
      text: z.string(),
      cut: z.boolean(),
    }),
  ),
  total: z.number(),
  truncated: z.boolean(),
  tooLarge: z.number(),
})

async function ripgrep(): Promise<string> {
  const found = await findRipgrep()
  if (found !== undefined) return found
  throw new PlatformError('unavailable', 'ripgrep is not installed on this runner', {
    reason: 'ripgrep_missing',
    remedy: 'apt-get install ripgrep; scid doctor shows whether it is there',
  })
}

/** A pattern is one word behind `--regexp=` and a name stands behind `--`: neither is ever an option (BR-015). */
function ripgrepArguments(program: string, order: GrepOrder): SearchCommand {
  const { at, pattern, regex, ignoreCase, glob } = order
  const name = at.kind === 'file' ? `./${at.path.slice(directoryOf(order).length)}` : './'
  return {
    directory: directoryOf(order),
    argv: [
      program,
      ...['--no-config', '--no-heading', '--with-filename', '--null', '--line-number', '--column'],
      ...['--color=never', '--no-messages', '--no-mmap', '--hidden', '--no-ignore', '--crlf'],
      ...['--max-columns=1000', '--max-columns-preview'],
      `--max-filesize=${maxSearchedFileBytes}`,
      ignoreCase ? '--ignore-case' : '--case-sensitive',
      ...(regex ? [] : ['--fixed-strings']),
      // Where both read a glob alike, what it leaves out is not even opened.
      ...(/^[\w*.][\w*.-]*$/.test(glob) ? [`--glob=${glob}`] : []),
      `--regexp=${pattern}`,
      '--',
      name,
    ],
  }
}

/** Empty, or with a final '/'. */
function directoryOf({ at: { path, kind } }: GrepOrder): string {
  if (kind === 'file') return path.slice(0, path.lastIndexOf('/') + 1)
  return path === '' ? '' : `${path}/`
}

const AnswerSchema = z.union([
  z.object({ result: z.unknown() }),
  z.object({ field: z.string(), problem: z.string() }),
  z.object({ failure: z.string() }),
])

/** Ends the thread, and with it what it started, however the call ends. */
async function inThread(
  task: Readonly<Record<string, unknown>>,
  parent: AbortSignal,
): Promise<unknown> {
  const signal = withDeadline(parent, timeoutMs)
  signal.throwIfAborted()
  const worker = new Worker(new URL('./file-search-worker.js', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  try {
    const answer = AnswerSchema.parse(await answerOf(worker, signal))
    if ('problem' in answer) {
      throw invalid(answer.field, answer.problem, 'correct it and search again')
    }
    if ('failure' in answer) throw new PlatformError('unavailable', answer.failure)
    return answer.result
  } catch (error) {
    parent.throwIfAborted()
    if (!signal.aborted) throw error
    throw new PlatformError('refused', `the search took longer than ${timeoutMs} ms`, {
      reason: 'search_too_long',
      remedy: 'name a directory in path, or a narrower pattern or glob',
    })
  } finally {
    await worker.terminate()
  }
}

function answerOf(worker: Worker, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => {
      reject(new PlatformError('unavailable', 'the search ended without an answer'))
    })
    const onAbort = (): void => {
      reject(new PlatformError('cancelled', 'the search was ended'))
    }
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
