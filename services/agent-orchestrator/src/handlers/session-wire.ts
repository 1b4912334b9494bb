import { invalid } from '@sciencediscovery/kernel'
import {
  ApprovalMode,
  InputPolicy,
  type Session,
  SessionSettings as WireSettings,
} from '@sciencediscovery/proto-gen/sessions/v1/sessions'
import { mainAgentIdOf, workspaceIdOf } from '@sciencediscovery/run-events'
import { type SessionSettings } from '../domain/session/events.js'
import { type LivingSession } from '../domain/session/state.js'

const profiles = ['science', 'harness', 'registry'] as const
const poolPattern = /^[a-z0-9]{1,32}$/
const maxTitleChars = 200

/** What is not set takes the default of the deployment. */
export interface SettingsDefaults {
  readonly model: string
  readonly runnerId: string
}

/** The settings as the domain holds them; names the field that is wrong. */
export function fromWireSettings(
  wire: WireSettings | undefined,
  defaults: SettingsDefaults,
): SessionSettings {
  const settings = wire ?? WireSettings.create()
  const { title, skills, sources, environmentId, toolPolicy } = settings
  if (title.length > maxTitleChars) {
    throw invalid(
      'settings.title',
      `is longer than ${maxTitleChars} characters`,
      'send a shorter one',
    )
  }
  return {
    ...{ title, skills, sources, environmentId },
    profile: fromProfile(settings.profile),
    model: settings.model === '' ? defaults.model : settings.model,
    approvalMode: fromApprovalMode(settings.approvalMode),
    inputPolicy: fromInputPolicy(settings.inputPolicy),
    toolPolicy: { allow: toolPolicy?.allow ?? [], deny: toolPolicy?.deny ?? [] },
    runnerId: fromRunnerId(settings.runnerId === '' ? defaults.runnerId : settings.runnerId),
  }
}

function fromProfile(name: string): SessionSettings['profile'] {
  const profile = profiles.find((known) => known === (name === '' ? 'science' : name))
  if (profile) return profile
  throw invalid(
    'settings.profile',
    `${JSON.stringify(name.slice(0, 80))} is unknown`,
    `send ${profiles.join(', ')}`,
  )
}

function fromRunnerId(runnerId: string): string {
  if (poolPattern.test(runnerId)) return runnerId
  throw invalid(
    'settings.runner_id',
    'is no pool name',
    'send 1 to 32 lower-case letters and digits',
  )
}

function fromApprovalMode(mode: ApprovalMode): SessionSettings['approvalMode'] {
  switch (mode) {
    case ApprovalMode.APPROVAL_MODE_UNSPECIFIED:
    case ApprovalMode.APPROVAL_MODE_ASK:
      return 'ask'
    case ApprovalMode.APPROVAL_MODE_ALWAYS_ALLOW:
      return 'always_allow'
    default:
      throw invalid('settings.approval_mode', 'is unknown', 'send ASK or ALWAYS_ALLOW')
  }
}

function fromInputPolicy(policy: InputPolicy): SessionSettings['inputPolicy'] {
  switch (policy) {
    case InputPolicy.INPUT_POLICY_UNSPECIFIED:
    case InputPolicy.INPUT_POLICY_ENQUEUE:
      return 'enqueue'
    case InputPolicy.INPUT_POLICY_INTERRUPT:
      return 'interrupt'
    case InputPolicy.INPUT_POLICY_REJECT:
      return 'reject'
    default:
      throw invalid('settings.input_policy', 'is unknown', 'send ENQUEUE, INTERRUPT or REJECT')
  }
}

const approvalModes = {
  ask: ApprovalMode.APPROVAL_MODE_ASK,
  always_allow: ApprovalMode.APPROVAL_MODE_ALWAYS_ALLOW,
} as const
const inputPolicies = {
  enqueue: InputPolicy.INPUT_POLICY_ENQUEUE,
  interrupt: InputPolicy.INPUT_POLICY_INTERRUPT,
  reject: InputPolicy.INPUT_POLICY_REJECT,
} as const

/** What of a session a row of the view has too. */
type ShownSession = Pick<
  LivingSession,
  'sessionId' | 'projectId' | 'settings' | 'createdAt' | 'archivedAt' | 'active'
>

export function toWireSession(state: ShownSession): Session {
  const { settings, sessionId, projectId } = state
  const agentId = mainAgentIdOf(sessionId)
  return {
    sessionId,
    projectId,
    agentId,
    workspaceId: workspaceIdOf(agentId, settings.runnerId),
    createdAt: state.createdAt,
    archivedAt: state.archivedAt,
    activeRunId: state.active?.run.runId ?? '',
    settings: {
      ...settings,
      toolPolicy: { allow: [...settings.toolPolicy.allow], deny: [...settings.toolPolicy.deny] },
      skills: [...settings.skills],
      sources: [...settings.sources],
      approvalMode: approvalModes[settings.approvalMode],
      inputPolicy: inputPolicies[settings.inputPolicy],
    },
  }
}
