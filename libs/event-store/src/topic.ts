import { invalid } from '@sciencediscovery/kernel'

const tokenPattern = /^[A-Za-z0-9_-]+$/

/** Refuses a topic that a bus would refuse, or, when it may have none, one with `*`. */
export function refuseBadTopic(topic: string, mayMatch: boolean): void {
  const ok = topic
    .split('.')
    .every((token) => tokenPattern.test(token) || (mayMatch && token === '*'))
  if (ok && topic.length <= 512) return
  throw invalid(
    'topic',
    `${JSON.stringify(topic.slice(0, 80))} is no topic`,
    'send letters, digits, - and _ with dots between',
  )
}

/** Whether the topic is one that the pattern asks for; `*` stands for one token. */
export function isTopicOf(topic: string, pattern: string): boolean {
  if (topic === pattern) return true
  const [tokens, wanted] = [topic.split('.'), pattern.split('.')]
  return (
    tokens.length === wanted.length &&
    wanted.every((token, index) => token === '*' || token === tokens[index])
  )
}
