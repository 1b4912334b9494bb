import {
  type DeclareArtifactRequest,
  type DeclareArtifactResponse,
  type ListArtifactsRequest,
  type ListArtifactsResponse,
  type ReadArtifactRequest,
  type ReadArtifactResponse,
} from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import {
  type CancelExecutionRequest,
  type CancelExecutionResponse,
  type ListExecutionsRequest,
  type ListExecutionsResponse,
  type ReadLogRequest,
  type ReadLogResponse,
  type ReadOutputRequest,
  type StartExecutionRequest,
  type StartExecutionResponse,
  type WaitExecutionRequest,
  type WaitExecutionResponse,
} from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import {
  type GetFileProvenanceRequest,
  type GetFileProvenanceResponse,
} from '@sciencediscovery/proto-gen/provenance/v1/provenance_service'
import {
  type FindToolOutputRequest,
  type FindToolOutputResponse,
} from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import {
  type CancelTransferRequest,
  type CancelTransferResponse,
  type GetTransferRequest,
  type GetTransferResponse,
  type ListTransfersRequest,
  type ListTransfersResponse,
  type StartTransferRequest,
  type StartTransferResponse,
} from '@sciencediscovery/proto-gen/transfers/v1/transfers_service'
import { type CallContext } from '@sciencediscovery/proto-gen/tools/v1/tools'
import {
  type EditFileRequest,
  type EditFileResponse,
  type GlobFilesRequest,
  type GlobFilesResponse,
  type GrepFilesRequest,
  type GrepFilesResponse,
  type ListFilesRequest,
  type ListFilesResponse,
  type ReadFileRequest,
  type ReadFileResponse,
  type ResolveFilesRequest,
  type ResolveFilesResponse,
  type WriteFileRequest,
  type WriteFileResponse,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type BlobStore } from '@sciencediscovery/blob-store'
import { type Profile } from '@sciencediscovery/tool-kit'

/** What goes with every question to an owner. */
export interface OwnerOptions {
  readonly signal: AbortSignal
  /** How long the owner itself may wait before it answers, on top of the time for answering. */
  readonly waitMs?: number
}

type Ask<Request, Response> = (request: Request, options: OwnerOptions) => Promise<Response>

/** The owner of workspace files. Writes are keyed: asking twice does it once. */
export interface FilesClient {
  readonly listFiles: Ask<ListFilesRequest, ListFilesResponse>
  readonly globFiles: Ask<GlobFilesRequest, GlobFilesResponse>
  readonly grepFiles: Ask<GrepFilesRequest, GrepFilesResponse>
  readonly readFile: Ask<ReadFileRequest, ReadFileResponse>
  readonly writeFile: Ask<WriteFileRequest, WriteFileResponse>
  readonly editFile: Ask<EditFileRequest, EditFileResponse>
  readonly resolveFiles: Ask<ResolveFilesRequest, ResolveFilesResponse>
}

/** The owner of executions. Starting is keyed by the execution id. */
export interface ExecutionsClient {
  readonly startExecution: Ask<StartExecutionRequest, StartExecutionResponse>
  readonly waitExecution: Ask<WaitExecutionRequest, WaitExecutionResponse>
  readonly listExecutions: Ask<ListExecutionsRequest, ListExecutionsResponse>
  readonly cancelExecution: Ask<CancelExecutionRequest, CancelExecutionResponse>
  readonly readLog: Ask<ReadLogRequest, ReadLogResponse>
  /** The retained bytes of one stream, in pieces. */
  readonly readOutput: (
    request: ReadOutputRequest,
    options: OwnerOptions,
  ) => AsyncIterable<Uint8Array>
}

/** The owner of artifacts. Declaring is keyed. */
export interface ArtifactsClient {
  readonly declareArtifact: Ask<DeclareArtifactRequest, DeclareArtifactResponse>
  readonly listArtifacts: Ask<ListArtifactsRequest, ListArtifactsResponse>
  readonly readArtifact: Ask<ReadArtifactRequest, ReadArtifactResponse>
}

/** The owner of transfers. Starting is keyed. */
export interface TransfersClient {
  readonly startTransfer: Ask<StartTransferRequest, StartTransferResponse>
  readonly getTransfer: Ask<GetTransferRequest, GetTransferResponse>
  readonly listTransfers: Ask<ListTransfersRequest, ListTransfersResponse>
  readonly cancelTransfer: Ask<CancelTransferRequest, CancelTransferResponse>
}

/** The view of how files came to be. */
export interface ProvenanceClient {
  readonly getFileProvenance: Ask<GetFileProvenanceRequest, GetFileProvenanceResponse>
}

/** The owner of run streams: which outputs a session kept, and what a run has read of them. */
export interface OutputsClient {
  readonly findToolOutput: Ask<FindToolOutputRequest, FindToolOutputResponse>
}

/** The services that do what tools ask for. */
export interface Owners {
  readonly files: FilesClient
  readonly executions: ExecutionsClient
  readonly artifacts: ArtifactsClient
  readonly transfers: TransfersClient
  readonly provenance: ProvenanceClient
  readonly outputs: OutputsClient
  /** Names of the runner pools. */
  readonly pools: readonly string[]
}

/** From how many bytes of one output on a run is told that it reads much of it (S-19). */
export interface ReadAdvice {
  readonly advisoryBytes: number
  readonly strongAdvisoryBytes: number
}

/** What a tool's handler is given. */
export interface ToolCall extends Owners {
  /** Names the effect: asking twice with it does it once. */
  readonly callKey: string
  readonly place: CallContext
  readonly blobs: BlobStore
  readonly readAdvice: ReadAdvice
  readonly profile: Profile
  /** Aborts when the caller leaves or the tool's deadline is over. */
  readonly signal: AbortSignal
}
