/** The run whose every step is cut: a plan, three effects, file tools, an artifact, its provenance. */
export const referenceScript = {
  turns: [
    {
      text: 'A plan first.',
      toolCalls: [
        {
          id: 'p1',
          name: 'update_plan',
          arguments: { plan: [{ step: 'Count', status: 'in_progress' }] },
        },
      ],
    },
    { text: '', toolCalls: [effect('s1')] },
    {
      text: '',
      toolCalls: [
        { id: 'w1', name: 'write_file', arguments: { path: 'notes.md', content: 'one\n' } },
      ],
    },
    {
      text: '',
      toolCalls: [
        {
          id: 'e1',
          name: 'edit_file',
          arguments: { path: 'notes.md', old_string: 'one', new_string: 'two' },
        },
      ],
      fail: { status: 503, times: 1 },
    },
    { text: '', toolCalls: [effect('s2')] },
    {
      text: '',
      toolCalls: [{ id: 'd1', name: 'declare_artifact', arguments: { path: 'notes.md' } }],
    },
    {
      text: '',
      toolCalls: [{ id: 'v1', name: 'get_file_provenance', arguments: { path: 'notes.md' } }],
    },
    { text: '', toolCalls: [effect('s3')] },
    { text: 'Done.' },
  ],
}

/** The event types that the reference run shows, each at least once. */
export const referenceTypes = [
  'run.started',
  'message.added',
  'model.turn.requested',
  'model.turn.completed',
  'model.turn.failed',
  'plan.updated',
  'tool.call.requested',
  'tool.call.blocked',
  'tool.call.released',
  'tool.call.completed',
  'execution.completed',
  'workspace.changed',
  'artifact.declared',
  'run.completed',
] as const

export type ReferenceType = (typeof referenceTypes)[number]

/** Leaves one line per time that it was run, and shows them all. */
function effect(id: string): unknown {
  return {
    id,
    name: 'run_shell',
    arguments: { command: `echo ${id} >> log.txt; cat log.txt`, wait_ms: 30_000 },
  }
}
