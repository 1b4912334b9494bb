/** What is known of a stored blob. */
export interface BlobStat {
  /** SHA-256 of the content, lower-case hex. */
  readonly digest: string
  readonly sizeBytes: number
}

/** Content to store: bytes, or a file by its path. */
export type BlobSource = Uint8Array | { readonly path: string }

/**
 * Content by its SHA-256. Immutable; there is no listing and no deletion here. A blob is readable only
 * through a pointer that the caller may read: whoever serves one has checked that.
 */
export interface BlobStore {
  /** Stores the bytes and syncs them before it resolves; storing an existing blob refreshes its time. */
  put(content: Uint8Array): Promise<BlobStat>
  /** Stores many at once and syncs them together: one sync for a snapshot, not one per file. */
  putMany(sources: readonly BlobSource[]): Promise<readonly BlobStat[]>
  /** Stores a stream without holding it in memory; refuses with `exhausted` past `maxBytes`. */
  putStream(
    content: AsyncIterable<Uint8Array>,
    options?: { readonly maxBytes?: number },
  ): Promise<BlobStat>
  /** Takes over a file by copy, link or reflink; the source stays as it is. */
  putFile(path: string): Promise<BlobStat>
  /** The whole blob; only for small ones. `not_found` when it is missing, `bug` when its bytes do not match. */
  get(digest: string): Promise<Uint8Array>
  /** A part as a stream; `offset` and `length` in bytes. */
  read(
    digest: string,
    range?: { readonly offset?: number; readonly length?: number },
  ): AsyncIterable<Uint8Array>
  /** undefined when it is missing. */
  stat(digest: string): Promise<BlobStat | undefined>
  /** Materialises the blob as a file at `path`, which must not exist, with the given mode. */
  copyToFile(digest: string, path: string, mode: number): Promise<void>
}
