import { ArtifactServiceService } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { OperationsServiceService } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { ProvenanceServiceService } from '@sciencediscovery/proto-gen/provenance/v1/provenance_service'
import { TransferServiceService } from '@sciencediscovery/proto-gen/transfers/v1/transfers_service'
import { type GrpcServer } from '@sciencediscovery/service-kit'
import { type Context } from '../context.js'
import { cancelTransfer } from './cancel-transfer.js'
import { declareArtifact } from './declare-artifact.js'
import { diagnose } from './diagnose.js'
import { downloadArtifact } from './download-artifact.js'
import { downloadRevision } from './download-revision.js'
import { getDownstream } from './get-downstream.js'
import { getFileProvenance } from './get-file-provenance.js'
import { getTransfer } from './get-transfer.js'
import { listArtifacts } from './list-artifacts.js'
import { listTransfers } from './list-transfers.js'
import { readArtifact } from './read-artifact.js'
import { startTransfer } from './start-transfer.js'
import { uploadFile } from './upload-file.js'

/** Adds every RPC of the artifact store to the server. */
export function registerHandlers(server: GrpcServer, ctx: Context): void {
  server.add(ArtifactServiceService, {
    declareArtifact: declareArtifact(ctx),
    listArtifacts: listArtifacts(ctx),
    readArtifact: readArtifact(ctx),
    downloadArtifact: downloadArtifact(ctx),
    uploadFile: uploadFile(ctx),
  })
  server.add(ProvenanceServiceService, {
    getFileProvenance: getFileProvenance(ctx),
    getDownstream: getDownstream(ctx),
    downloadRevision: downloadRevision(ctx),
  })
  server.add(TransferServiceService, {
    startTransfer: startTransfer(ctx),
    getTransfer: getTransfer(ctx),
    listTransfers: listTransfers(ctx),
    cancelTransfer: cancelTransfer(ctx),
  })
  server.add(OperationsServiceService, { diagnose: diagnose(ctx) })
}
