import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { load, peerFolder } from '../lib/peer-load.mjs'
import { serve } from '../lib/serve.mjs'
import { summary } from '../lib/stats.mjs'

const { default: workerModule } = await load('@temporalio/worker')
const { default: protoModule } = await load('@temporalio/proto')
const { Worker, bundleWorkflowCode, Runtime, DefaultLogger } = workerModule
const { temporal } = protoModule
const held = {}

const workflow = `
import { proxyActivities } from '@temporalio/workflow'
const { step } = proxyActivities({ startToCloseTimeout: '1 minute' })
export async function bench(activities) {
  for (let index = 0; index < activities; index += 1) await step(index)
}
`

const payloadsOf = (value) => ({
  payloads: [
    {
      metadata: { encoding: Buffer.from('json/plain') },
      data: Buffer.from(JSON.stringify(value)),
    },
  ],
})

/** The history that a server would have of so many activities: six events each, and five around them. */
function historyOf(activities) {
  const { EventType, TaskQueueKind } = temporal.api.enums.v1
  const events = []
  const add = (name, attributes) => {
    const type = EventType[`EVENT_TYPE_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`]
    const eventTime = { seconds: 1_700_000_000 + events.length, nanos: 0 }
    events.push({
      eventId: events.length + 1,
      eventTime,
      eventType: type,
      [`${name}EventAttributes`]: attributes,
    })
    return events.length
  }
  const taskQueue = { name: 'bench', kind: TaskQueueKind.TASK_QUEUE_KIND_NORMAL }
  const workflowTask = () => {
    const scheduledEventId = add('workflowTaskScheduled', { taskQueue, attempt: 1 })
    const startedEventId = add('workflowTaskStarted', { scheduledEventId, identity: 'bench' })
    return add('workflowTaskCompleted', { scheduledEventId, startedEventId, identity: 'bench' })
  }
  add('workflowExecutionStarted', {
    workflowType: { name: 'bench' },
    taskQueue,
    input: payloadsOf(activities),
    originalExecutionRunId: 'run-1',
    firstExecutionRunId: 'run-1',
    attempt: 1,
    workflowTaskTimeout: { seconds: 10 },
  })
  for (let index = 0; index < activities; index += 1) {
    const workflowTaskCompletedEventId = workflowTask()
    const scheduledEventId = add('activityTaskScheduled', {
      activityId: String(index + 1),
      activityType: { name: 'step' },
      taskQueue,
      input: payloadsOf(index),
      startToCloseTimeout: { seconds: 60 },
      workflowTaskCompletedEventId,
    })
    const startedEventId = add('activityTaskStarted', { scheduledEventId, attempt: 1 })
    const result = payloadsOf('x'.repeat(512))
    add('activityTaskCompleted', { scheduledEventId, startedEventId, result })
  }
  add('workflowExecutionCompleted', { workflowTaskCompletedEventId: workflowTask() })
  return temporal.api.history.v1.History.fromObject({ events })
}

serve({
  async prepare({ activities }) {
    Runtime.install({ logger: new DefaultLogger('ERROR') })
    const workflowsPath = join(peerFolder, 'bench-workflow.js')
    await writeFile(workflowsPath, workflow)
    const logger = new DefaultLogger('ERROR')
    held.workflowBundle = await bundleWorkflowCode({ workflowsPath, logger })
    held.history = historyOf(activities)
    return { events: held.history.events.length }
  },
  async measure({ times }) {
    const latencies = []
    for (let time = 0; time < times; time += 1) {
      const startedAt = performance.now()
      await Worker.runReplayHistory({ workflowBundle: held.workflowBundle }, held.history)
      latencies.push(performance.now() - startedAt)
    }
    const found = summary(
      latencies,
      latencies.reduce((sum, value) => sum + value, 0),
    )
    const eventsPerSecond = (held.history.events.length / found.p50Ms) * 1000
    return { ...found, eventsPerSecond, rssMiB: process.memoryUsage.rss() / 2 ** 20 }
  },
})
