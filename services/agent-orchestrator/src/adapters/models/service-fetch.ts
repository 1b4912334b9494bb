import { wellFormedJson } from './well-formed.js'

/**
 * The fetch both SDKs use. Bodies leave well-formed (BR-063), and a redirect is an answer:
 * followed, it would carry the key to whoever the address names.
 */
export async function serviceFetch(
  address: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const body = typeof init?.body === 'string' ? { body: wellFormedJson(init.body) } : {}
  return fetch(address, { ...init, ...body, redirect: 'manual' })
}

/** The same for services that answer a streaming request with one JSON document: it becomes one chunk. */
export async function chunkingFetch(
  address: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = await serviceFetch(address, init)
  const mediaType = response.headers.get('content-type') ?? ''
  if (!response.ok || !mediaType.startsWith('application/json')) return response
  const chunk = JSON.stringify(JSON.parse(await response.text()))
  return new Response(`data: ${chunk}\n\n`, { headers: { 'content-type': 'text/event-stream' } })
}
