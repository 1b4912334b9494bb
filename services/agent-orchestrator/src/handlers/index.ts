import { ProjectServiceService } from '@sciencediscovery/proto-gen/projects/v1/projects_service'
import { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { SessionServiceService } from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import { type GrpcServer } from '@sciencediscovery/service-kit'
import { type Application } from './application.js'
import { addMember } from './add-member.js'
import { archiveProject } from './archive-project.js'
import { archiveSession } from './archive-session.js'
import { createProject } from './create-project.js'
import { createSession } from './create-session.js'
import { decidePermission } from './decide-permission.js'
import { getMemberRole } from './get-member-role.js'
import { findToolOutput } from './find-tool-output.js'
import { getPlan } from './get-plan.js'
import { getProject } from './get-project.js'
import { getRun } from './get-run.js'
import { getSession } from './get-session.js'
import { getTranscript } from './get-transcript.js'
import { listMembers } from './list-members.js'
import { listPermissions } from './list-permissions.js'
import { listProjects } from './list-projects.js'
import { listRuns } from './list-runs.js'
import { listSessions } from './list-sessions.js'
import { removeMember } from './remove-member.js'
import { sendMessage } from './send-message.js'
import { setMemberRole } from './set-member-role.js'
import { startRun } from './start-run.js'
import { stopRun } from './stop-run.js'
import { updateProject } from './update-project.js'
import { updateSession } from './update-session.js'
import { watchRun } from './watch-run.js'

/** Registers every RPC of the service. */
export function addHandlers(server: GrpcServer, app: Application): void {
  server.add(ProjectServiceService, {
    createProject: createProject(app),
    getProject: getProject(app),
    listProjects: listProjects(app),
    updateProject: updateProject(app),
    archiveProject: archiveProject(app),
    addMember: addMember(app),
    setMemberRole: setMemberRole(app),
    removeMember: removeMember(app),
    listMembers: listMembers(app),
    getMemberRole: getMemberRole(app),
  })
  server.add(SessionServiceService, {
    createSession: createSession(app),
    getSession: getSession(app),
    listSessions: listSessions(app),
    updateSession: updateSession(app),
    archiveSession: archiveSession(app),
  })
  server.add(RunServiceService, {
    startRun: startRun(app),
    getRun: getRun(app),
    listRuns: listRuns(app),
    watchRun: watchRun(app),
    sendMessage: sendMessage(app),
    stopRun: stopRun(app),
    listPermissions: listPermissions(app),
    decidePermission: decidePermission(app),
    getPlan: getPlan(app),
    getTranscript: getTranscript(app),
    findToolOutput: findToolOutput(app),
  })
}
