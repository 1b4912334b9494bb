import { type StoredJson, type StoredText } from '@sciencediscovery/run-events'

/** Keeps what is too large for an event beside it: content first, then the pointer (rule 6). */
export interface Texts {
  /** The text as an event holds it; a blob when it is over `inlineBytes` (default 16 KiB). */
  storeText(
    text: string,
    options?: { readonly mediaType?: string; readonly inlineBytes?: number },
  ): Promise<StoredText>
  /** The value as an event holds it; a blob when it is over 16 KiB or holds a list over 64 entries. */
  storeJson(value: unknown): Promise<StoredJson>
  loadText(stored: StoredText): Promise<string>
  loadJson(stored: StoredJson): Promise<unknown>
  /** Stores bytes as they are; gives their SHA-256. */
  storeBytes(bytes: Uint8Array): Promise<string>
  loadBytes(digest: string): Promise<Uint8Array>
}
