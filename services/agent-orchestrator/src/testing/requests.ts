import {
  ApprovalMode,
  InputPolicy,
  type SessionSettings,
} from '@sciencediscovery/proto-gen/sessions/v1/sessions'

/** The settings of a session that asks a person about every call. */
export function settingsOf(title: string): SessionSettings {
  return {
    ...{ title, profile: 'science', model: '', environmentId: '', runnerId: '' },
    approvalMode: ApprovalMode.APPROVAL_MODE_ASK,
    inputPolicy: InputPolicy.INPUT_POLICY_ENQUEUE,
    ...{ toolPolicy: { allow: [], deny: [] }, skills: [], sources: [] },
  }
}

/** A script of these turns, as StartRun takes it. */
export function scriptOf(...turns: readonly unknown[]): Buffer {
  return Buffer.from(JSON.stringify({ turns }))
}

/** One call that waits for a decision, and an end. */
export const guardedScript = scriptOf(
  { text: '', toolCalls: [{ id: 'g1', name: 'guarded', arguments: {} }] },
  { text: 'Done.' },
)
