import { ArtifactServiceService } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { ExecutionServiceService } from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { OperationsServiceService } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { ProjectServiceService } from '@sciencediscovery/proto-gen/projects/v1/projects_service'
import { ProvenanceServiceService } from '@sciencediscovery/proto-gen/provenance/v1/provenance_service'
import { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { SessionServiceService } from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import { ToolServiceService } from '@sciencediscovery/proto-gen/tools/v1/tools_service'
import { TransferServiceService } from '@sciencediscovery/proto-gen/transfers/v1/transfers_service'
import { WorkspaceServiceService } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { accessRows, type AccessRule, type AccessTable } from './access-rule.js'
import type { ProjectField, ProjectRole } from './access-rule.js'

const service: AccessRule = { by: 'service' }
const owner: AccessRule = { by: 'owner' }
const person: AccessRule = { by: 'person' }

const project: ProjectField = { path: 'project_id', kind: 'project' }
const session: ProjectField = { path: 'session_id', kind: 'session' }
const run: ProjectField = { path: 'run_id', kind: 'run' }
const workspace: ProjectField = { path: 'workspace_id', kind: 'workspace' }
const execution: ProjectField = { path: 'execution_id', kind: 'execution' }
const actor: ProjectField = { path: 'actor.project_id', kind: 'project' }
const upload: readonly ProjectField[] = [
  { path: 'part.value.project_id', kind: 'project' },
  { path: 'part.value.session_id', kind: 'session' },
]

const may = (by: ProjectRole, ...fields: readonly ProjectField[]): AccessRule => ({
  by,
  in: fields,
})
const own = (by: ProjectRole, ...fields: readonly ProjectField[]): AccessRule => ({
  by,
  in: fields,
  orOwn: true,
})

/** Who may call what, every RPC of the platform. What has no row here is not served. */
export const accessTable: AccessTable = new Map([
  ...accessRows(ProjectServiceService, {
    createProject: person,
    getProject: may('viewer', project),
    listProjects: person,
    updateProject: may('admin', project),
    archiveProject: may('admin', project),
    addMember: may('admin', project),
    setMemberRole: may('admin', project),
    removeMember: may('admin', project),
    listMembers: may('viewer', project),
    getMemberRole: service,
  }),
  ...accessRows(SessionServiceService, {
    // A project that does not exist yet begins with its first session: the handler asks for the role.
    createSession: person,
    getSession: may('viewer', session, project),
    listSessions: own('viewer', project),
    updateSession: may('member', session, project),
    archiveSession: may('member', session, project),
  }),
  ...accessRows(RunServiceService, {
    startRun: may('member', session, project),
    getRun: may('viewer', run),
    listRuns: own('viewer', project, session),
    watchRun: may('viewer', run),
    sendMessage: may('member', run),
    stopRun: may('member', run),
    listPermissions: may('viewer', run),
    decidePermission: may('member', run),
    getPlan: may('viewer', run),
    getTranscript: may('viewer', session, run),
    findToolOutput: service,
  }),
  ...accessRows(ToolServiceService, {
    listTools: person,
    invoke: service,
    cancelCall: service,
  }),
  ...accessRows(ExecutionServiceService, {
    startExecution: service,
    waitExecution: may('viewer', project, workspace, execution),
    listExecutions: may('viewer', project, workspace),
    cancelExecution: may('member', project, workspace, execution),
    readOutput: may('viewer', project, workspace, execution),
    readLog: may('viewer', project, workspace, execution),
  }),
  ...accessRows(WorkspaceServiceService, {
    listFiles: may('viewer', actor, workspace),
    globFiles: may('viewer', actor, workspace),
    grepFiles: may('viewer', actor, workspace),
    readFile: may('viewer', actor, workspace),
    // What changes a workspace says who did it for which call; people upload through the artifact store.
    writeFile: service,
    editFile: service,
    putFile: service,
    resolveFiles: may('viewer', actor, workspace),
    downloadFile: may('viewer', actor, workspace),
    downloadArchive: may('viewer', actor, workspace),
    listRunners: person,
  }),
  ...accessRows(ArtifactServiceService, {
    declareArtifact: service,
    listArtifacts: may('viewer', project),
    readArtifact: may('viewer', project),
    downloadArtifact: may('viewer', project),
    uploadFile: may('member', ...upload),
  }),
  ...accessRows(TransferServiceService, {
    startTransfer: service,
    getTransfer: may('viewer', actor),
    listTransfers: may('viewer', actor),
    cancelTransfer: may('member', actor),
  }),
  ...accessRows(ProvenanceServiceService, {
    getFileProvenance: may('viewer', project, session),
    getDownstream: may('viewer', project, session),
    downloadRevision: may('viewer', project),
  }),
  // Addresses, versions and causes: for those who run the installation.
  ...accessRows(OperationsServiceService, { diagnose: owner }),
])
