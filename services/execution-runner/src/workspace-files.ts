/** One entry of a listing. */
export interface ListedFile {
  readonly path: string
  readonly sizeBytes: number
  readonly modifiedAtMs: number
  readonly directory: boolean
}

export interface FileListing {
  /** By path. */
  readonly files: readonly ListedFile[]
  /** Entries there are in all. */
  readonly total: number
  /** There are more behind the last one. */
  readonly truncated: boolean
}

/** Files to find by the shape of their path. */
export interface GlobOrder {
  /** Directory, links resolved. */
  readonly path: string
  readonly pattern: string
  readonly limit: number
  readonly after: string
}

/** Lines to find in text files. */
export interface GrepOrder {
  /** What to look into, links resolved. */
  readonly at: LocatedEntry
  readonly pattern: string
  readonly regex: boolean
  readonly ignoreCase: boolean
  /** Empty for all files. */
  readonly glob: string
  readonly limit: number
  readonly after: { readonly path: string; readonly line: number }
}

/** A line that has what was looked for. */
export interface GrepHit {
  readonly path: string
  readonly line: number
  readonly column: number
  readonly text: string
  readonly cut: boolean
}

export interface GrepFindings {
  /** By path and line. */
  readonly hits: readonly GrepHit[]
  readonly total: number
  readonly truncated: boolean
  /** Files that are too large to be searched. */
  readonly tooLarge: number
}

/** A page of a text file; for a binary one its description only. */
export interface FilePage {
  /** The file that was read, links resolved, as it is spelled on disk. */
  readonly path: string
  readonly content: string
  readonly binary: boolean
  readonly mediaType: string
  readonly sizeBytes: number
  /** 0 when the page is empty. */
  readonly startLine: number
  readonly endLine: number
  readonly totalLines: number
  readonly hasMore: boolean
  readonly nextOffset: number
  readonly nextCharOffset: number
  readonly partialLine: boolean
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be'
}

/** What is at a path. */
export interface LocatedEntry {
  readonly path: string
  readonly kind: 'file' | 'directory' | 'other'
}

export interface PageRange {
  /** First line, 1-based. */
  readonly offset: number
  readonly limit: number
  /** Characters to skip in the first line. */
  readonly charOffset: number
}

export type ConflictPolicy = 'reject' | 'overwrite' | 'rename'

/** What a write did. */
export interface WrittenFile {
  readonly path: string
  readonly replacements: number
}

/** What to do to one file. Nothing on disk changes when it is refused. */
export type FileWork =
  | {
      readonly kind: 'write'
      readonly path: string
      readonly conflict: ConflictPolicy
      readonly content: { readonly bytes: Uint8Array } | { readonly digest: string }
    }
  | {
      readonly kind: 'edit'
      readonly path: string
      readonly oldText: string
      readonly newText: string
      readonly all: boolean
    }

/** Where the files of one workspace are. */
export interface FilesPlace {
  readonly filesDirectory: string
  /** On the same file system, out of reach of the sandbox. */
  readonly stagingDirectory: string
  readonly uid: number | undefined
}

/** The one way to the files of a workspace: names are resolved step by step, links never lead out. */
export interface WorkspaceFiles {
  readPage(place: FilesPlace, path: string, range: PageRange): Promise<FilePage>
  /** The bytes in order. */
  read(place: FilesPlace, path: string): AsyncIterable<Uint8Array>
  /** What is at a path, links resolved and as it is spelled on disk. */
  locate(place: FilesPlace, path: string): Promise<LocatedEntry>
  /** The path of an existing directory with the links in it resolved. */
  directoryPath(place: FilesPlace, path: string): Promise<string>
  /** The program that searches lines; undefined when it is not installed. */
  ripgrep(): Promise<string | undefined>
  /** Larger files are not searched for lines. */
  readonly maxSearchedFileBytes: number
  glob(place: FilesPlace, order: GlobOrder, signal: AbortSignal): Promise<FileListing>
  grep(place: FilesPlace, order: GrepOrder, signal: AbortSignal): Promise<GrepFindings>
  apply(place: FilesPlace, work: FileWork): Promise<WrittenFile>
  /** Media type by content, then by name. */
  mediaType(place: FilesPlace, path: string): Promise<string>
}
