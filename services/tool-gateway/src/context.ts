import { type BlobStore } from '@sciencediscovery/blob-store'
import { type Logger } from '@sciencediscovery/service-kit'
import { type Catalogue } from './catalogue.js'
import { type OutputLimits } from './domain/output/limits.js'
import { type Owners, type ReadAdvice } from './tool-call.js'

/** Whether an owner answers. */
export interface OwnerProbe {
  readonly name: string
  readonly address: string
  /** Throws when it does not. */
  readonly check: (signal: AbortSignal) => Promise<void>
}

/** What handlers are given. */
export interface Context {
  readonly catalogue: Catalogue
  readonly owners: Owners
  readonly probes: readonly OwnerProbe[]
  readonly blobs: BlobStore
  readonly outputLimits: OutputLimits
  readonly readAdvice: ReadAdvice
  readonly here: { readonly replicaId: string; readonly logger: Logger }
}
