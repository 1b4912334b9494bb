import {
  ApprovalMode,
  InputPolicy,
  type Session,
} from '@sciencediscovery/proto-gen/sessions/v1/sessions'

/** A session whose main agent has its workspace on pool `local`. */
export function aSession(hash: string, projectId: string): Session {
  return {
    sessionId: `s-${hash}-${projectId}`,
    projectId,
    settings: {
      title: `session of ${projectId}`,
      profile: 'science',
      model: '',
      approvalMode: ApprovalMode.APPROVAL_MODE_ASK,
      inputPolicy: InputPolicy.INPUT_POLICY_ENQUEUE,
      toolPolicy: undefined,
      skills: [],
      sources: [],
      environmentId: '',
      runnerId: 'local',
    },
    agentId: `a-${hash}-${projectId}`,
    workspaceId: `w-local-${hash}-${projectId}`,
    createdAt: '2026-01-01T00:00:00Z',
    archivedAt: '',
    activeRunId: '',
  }
}
