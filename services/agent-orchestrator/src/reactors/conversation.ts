import { type Chain, type Digest, toArray } from '@sciencediscovery/kernel'
import { z } from 'zod'
import { type RunFacts, type TranscriptItem } from '../domain/run/state.js'
import { type ModelImage, type ModelMessage } from '../model-provider.js'
import { systemPrompt } from '../system-prompt.js'
import { type Texts } from '../texts.js'

/** Gives the conversation of a run as a model is sent it; each entry is made once, so a long run stays O(n). */
export interface Conversations {
  messagesOf(facts: RunFacts): Promise<readonly ModelMessage[]>
}

interface Kept {
  readonly chain: Chain<TranscriptItem>
  readonly messages: readonly ModelMessage[]
}

const maxKept = 64

export function createConversations(texts: Texts): Conversations {
  const kept = new Map<string, Kept & { readonly messages: ModelMessage[] }>()
  const begin = async (facts: RunFacts): Promise<ModelMessage[]> => {
    const earlier = await loadConversation(texts, facts.header.conversationRef)
    const messages: ModelMessage[] = [{ role: 'system', text: systemPrompt.text }]
    for (const item of earlier) messages.push(...(await toMessages(texts, item)))
    return pairEarlier(messages)
  }
  return {
    async messagesOf(facts) {
      const { runId } = facts.header
      const before = kept.get(runId)
      const fresh = before === undefined ? undefined : itemsSince(facts.transcript, before.chain)
      const messages =
        fresh === undefined || before === undefined ? await begin(facts) : before.messages
      for (const item of fresh ?? toArray(facts.transcript))
        messages.push(...(await toMessages(texts, item)))
      kept.delete(runId)
      kept.set(runId, { chain: facts.transcript, messages })
      const oldest = kept.keys().next().value
      if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
      return messages
    },
  }
}

/** The entries that came after an older state of the same chain; undefined when it is none. */
function itemsSince(
  chain: Chain<TranscriptItem>,
  older: Chain<TranscriptItem>,
): readonly TranscriptItem[] | undefined {
  const items: TranscriptItem[] = []
  for (let rest = chain; rest !== older; rest = rest.last.before) {
    if (!rest.last) return undefined
    items.push(rest.last.value)
  }
  return items.reverse()
}

async function toMessages(texts: Texts, item: TranscriptItem): Promise<readonly ModelMessage[]> {
  if (item.kind === 'message') return [{ role: item.role, text: await texts.loadText(item.text) }]
  if (item.kind === 'result') {
    const { callId, name, isError } = item
    const [text, details] = [await texts.loadText(item.text), await texts.loadJson(item.details)]
    return [{ role: 'tool', callId, name, text, isError, details, ...imagesOf(name, details) }]
  }
  const toolCalls = await Promise.all(
    item.calls.map(async ({ callId, name, argumentsText }) => ({
      id: callId,
      name,
      argumentsText: await texts.loadText(argumentsText),
    })),
  )
  const message = { role: 'assistant' as const, text: await texts.loadText(item.text), toolCalls }
  const extra =
    item.extra === undefined ? undefined : ExtraSchema.parse(await texts.loadJson(item.extra))
  return [extra === undefined ? message : { ...message, extra }]
}

const ImageSchema = z.object({
  image: z.object({
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    mediaType: z.string().startsWith('image/'),
  }),
})

/** An image that the call gave. Only our own tool says what blob that is: others could name any. */
function imagesOf(name: string, details: unknown): { readonly images?: readonly ModelImage[] } {
  const found = name === 'read_artifact' ? ImageSchema.safeParse(details) : undefined
  if (!found?.success) return {}
  const { sha256, mediaType } = found.data.image
  return { images: [{ mediaType, digest: DigestSchema.parse(sha256) }] }
}

const DigestSchema = z.custom<Digest>((value) => typeof value === 'string')

const ExtraSchema = z.record(z.string(), z.unknown())

// A run that was stopped between a call and its result leaves the call unanswered, which services refuse (BR-062).
function pairEarlier(messages: readonly ModelMessage[]): ModelMessage[] {
  const answered = new Set(
    messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : [])),
  )
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role !== 'assistant') return [message]
    const open = message.toolCalls.filter((call) => !answered.has(call.id))
    const results = open.map(({ id, name }) => ({
      role: 'tool' as const,
      callId: id,
      name,
      text: 'interrupted',
      isError: true,
    }))
    return [message, ...results]
  })
}

// What a run leaves to the next one is what it was sent itself, so the shapes are the transcript's own.
const ItemSchema = z.custom<TranscriptItem>(
  (value) => typeof value === 'object' && value !== null && 'kind' in value,
)
const ConversationSchema = z.object({ v: z.literal(1), items: z.array(ItemSchema) })

export async function loadConversation(
  texts: Texts,
  digest: string | null,
): Promise<readonly TranscriptItem[]> {
  if (digest === null) return []
  const text = new TextDecoder().decode(await texts.loadBytes(digest))
  return ConversationSchema.parse(JSON.parse(text)).items
}

/** Stores the whole conversation up to the end of a run; gives its digest. */
export async function storeConversation(texts: Texts, facts: RunFacts): Promise<string> {
  const items = [
    ...(await loadConversation(texts, facts.header.conversationRef)),
    ...toArray(facts.transcript),
  ]
  return texts.storeBytes(new TextEncoder().encode(JSON.stringify({ v: 1, items })))
}
