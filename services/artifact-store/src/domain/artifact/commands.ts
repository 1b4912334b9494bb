import { type ArtifactVersionDeclared } from './events.js'

/** Declares committed content as the next version. */
export interface DeclareVersion {
  readonly type: 'DeclareVersion'
  /** `named`: by its name, made when new. `based`: an artifact that exists, from a version the caller knows (S-06). */
  readonly target:
    | { readonly kind: 'named'; readonly name: string }
    | { readonly kind: 'based'; readonly baseVersionId: string; readonly name: string | undefined }
  readonly content: Omit<ArtifactVersionDeclared['data'], 'name' | 'kind' | 'version'>
}

export type ArtifactCommand = DeclareVersion
