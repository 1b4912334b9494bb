import { defineTool, okResult } from '@sciencediscovery/tool-kit'
import { z } from 'zod'

const PlanItemSchema = z.strictObject({
  step: z.string().min(1).max(1000).describe('What is to be done.'),
  status: z.enum(['pending', 'in_progress', 'completed']).describe('Where it is.'),
})

export const UpdatePlanSchema = z.strictObject({
  plan: z
    .array(PlanItemSchema)
    .max(20)
    .describe('All steps, in order. An empty list clears the plan.'),
  explanation: z.string().max(2000).optional().describe('Why the plan changed.'),
})

/** S-23: replaces the plan as a whole. The run decider does it, so its handler only echoes. */
export const updatePlan = defineTool({
  name: 'update_plan',
  description:
    'Sets the plan of the task: all steps with their status. Call it before substantial work and whenever a step starts or ends.',
  parameters: UpdatePlanSchema,
  effect: 'read',
  concurrency: 'shared',
  replay: 'keyed',
  deadlineMs: 0,
  details: UpdatePlanSchema,
  handler: (args, _context: unknown) => Promise.resolve(okResult('', args)),
})
