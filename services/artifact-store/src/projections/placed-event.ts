import { type BlobRef } from '@sciencediscovery/run-events'

/** One stored event with its place. */
export interface PlacedEvent {
  readonly projectId: string
  /** Id of the aggregate: run, workspace or artifact. */
  readonly ownerId: string
  /** 1-based, within the aggregate's stream. */
  readonly position: number
  readonly type: string
  readonly v: number
  readonly data: unknown
}

/** Lists that are too long for an event, by reference. */
export interface StoredLists {
  /** The JSON array in the blob. */
  load(reference: Pick<BlobRef, 'digest'>): Promise<unknown>
}
