import { isPlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { parseFilePath, parseWorkspacePath } from './workspace-path.js'

function refusal(text: string): unknown {
  try {
    return parseFilePath('path', text)
  } catch (error) {
    return isPlatformError(error) ? [error.code, error.details.field] : error
  }
}

describe('workspace path', () => {
  test.each([
    ['notes.md', 'notes.md'],
    ['./notes.md', 'notes.md'],
    ['/workspace/a/b.txt', 'a/b.txt'],
    ['a//b/./c', 'a/b/c'],
    ['/workspace', ''],
    ['', ''],
    ['a b\\c', 'a b\\c'],
  ])('X-07: %j is %j', (text, path) => {
    expect(parseWorkspacePath('path', text)).toBe(path)
  })

  test.each([
    '../proj-secret/key.txt',
    '/ws/proj-secret/key.txt',
    'a/../../proj-secret/key.txt',
    'a/../notes.md',
    '/workspace/../etc/passwd',
    '/workspaces/key.txt',
    'notes.md\0.png',
    '.',
    'x'.repeat(256),
  ])('BR-018: %j is refused and names the field', (text) => {
    expect(refusal(text)).toEqual(['invalid', 'path'])
  })
})
