/** The name of a turn's trace: the model call and the tool calls that it asked for. */
export function turnChain(runId: string, turn: number): string {
  return `${runId}/${turn}`
}
