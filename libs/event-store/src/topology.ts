import { invalid } from '@sciencediscovery/kernel'

/** How many streams the runs are spread over when nobody says otherwise. */
export const defaultRunShards = 4

const subjectPattern = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+$/
const maxSubjectBytes = 512

/** The noun of a subject: its first token. Refuses what could not be a subject of one aggregate. */
export function nounOf(subject: string): string {
  const noun = subject.split('.', 1)[0]
  if (noun === undefined || subject.length > maxSubjectBytes || !subjectPattern.test(subject)) {
    throw invalid(
      'subject',
      `${JSON.stringify(subject.slice(0, 80))} does not name one aggregate`,
      'send <noun>.<projectId>.<id> with letters, digits, - and _ in each part',
    )
  }
  return noun
}

/** The physical streams of a noun: `runs` → `RUNS_0` …, `sessions` → `SESSIONS`. */
export function streamsOfNoun(noun: string, runShards: number): readonly string[] {
  const name = noun.toUpperCase().replaceAll('-', '_')
  return noun === 'runs'
    ? Array.from({ length: runShards }, (_, shard) => `${name}_${shard}`)
    : [name]
}

/** The physical stream that holds a subject. */
export function streamOfSubject(subject: string, runShards: number): string {
  const noun = nounOf(subject)
  const streams = streamsOfNoun(noun, runShards)
  if (noun !== 'runs') return streams[0] ?? noun
  const shard = subject.split('.')[1] ?? ''
  const stream = /^\d+$/.test(shard) ? streams[Number(shard)] : undefined
  if (stream === undefined) {
    throw invalid(
      'subject',
      `run shard ${JSON.stringify(shard)} is not one of 0 … ${runShards - 1}`,
      'build it as runs.<shardOf(sessionId, runShards)>.<projectId>.<runId>',
    )
  }
  return stream
}
