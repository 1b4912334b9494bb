import { defineTool, okResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'
import { type ToolCall } from '../tool-call.js'
import { ExecutionDetailsSchema, executionText, toRecord } from './execution.js'
import { ExecutionIdSchema, askOwner } from './execution-place.js'

/** S-10: asks to end an execution. It is `cancelled` once its processes are gone and its files are committed. */
export const executionCancel = defineTool({
  name: 'execution_cancel',
  description:
    'Ends an execution with everything it started. What it wrote until then stays. One that has ended already stays as it is.',
  parameters: z.strictObject({ execution_id: ExecutionIdSchema }),
  effect: 'execute',
  concurrency: 'exclusive',
  replay: 'keyed',
  deadlineMs: 120_000,
  output: { keep: 'tail' },
  details: ExecutionDetailsSchema,
  handler: async ({ execution_id: executionId }, call: ToolCall) => {
    const record = await askOwner(executionId, call, async (place) => {
      // An execution that nobody asked for would be refused for ever by a mark of this.
      await call.executions.waitExecution({ ...place, waitMs: 0 }, { signal: call.signal })
      const request = { ...place, reason: 'cancelled' }
      const { execution } = await call.executions.cancelExecution(request, { signal: call.signal })
      return execution
    })
    const execution = toRecord(record)
    return okResult(executionText(execution), { execution }, record?.effects)
  },
})
