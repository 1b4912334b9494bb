import { invalid } from '@sciencediscovery/kernel'
import { isProjectId } from '@sciencediscovery/run-events'

const maxKeyChars = 200

/** A mutation without a key cannot be done once. */
export function requireKey(key: string): string {
  if (key === '')
    throw invalid(
      'idempotency_key',
      'is missing',
      'send a value that is new for each wanted change, such as a UUID',
    )
  if (key.length > maxKeyChars)
    throw invalid(
      'idempotency_key',
      `is longer than ${maxKeyChars} characters`,
      'send a shorter one',
    )
  return key
}

export function requireProjectId(projectId: string): string {
  const id = projectId === '' ? 'default' : projectId
  if (isProjectId(id)) return id
  throw invalid(
    'project_id',
    `${JSON.stringify(id.slice(0, 80))} is no project id`,
    'send letters, digits, _ and -, at most 64',
  )
}

export function requireText(
  field: string,
  text: string,
  limits: { readonly maxBytes: number },
): string {
  if (text.trim() === '') throw invalid(field, 'is empty', 'send some text')
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes <= limits.maxBytes) return text
  throw invalid(
    field,
    `has ${sizeBytes} bytes, the limit is ${limits.maxBytes}`,
    'upload it as a file and name the file',
  )
}

/** A page size within its bounds; 0 means the default. */
export function pageSizeOf(
  pageSize: number,
  limits: { readonly fallback: number; readonly max: number },
): number {
  if (pageSize === 0) return limits.fallback
  if (pageSize > 0 && pageSize <= limits.max) return pageSize
  throw invalid(
    'page_size',
    `${pageSize} is out of range`,
    `send 1 to ${limits.max}, or 0 for ${limits.fallback}`,
  )
}
