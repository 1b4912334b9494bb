import { PlatformError } from '@sciencediscovery/kernel'
import { describe, expect, test } from 'vitest'
import { endsConnection, fromDatabaseError } from './database-errors.js'

const withCode = (code: string) => Object.assign(new Error('text of the server'), { code })

describe('a database error', () => {
  test.each([
    ['23505', 'already_exists'],
    ['22021', 'invalid'],
    ['40001', 'conflict'],
    ['40P01', 'conflict'],
    ['57014', 'deadline'],
    ['57P01', 'unavailable'],
    ['53100', 'exhausted'],
    ['53300', 'unavailable'],
    ['08006', 'unavailable'],
    ['ECONNREFUSED', 'unavailable'],
    ['42601', 'bug'],
  ])('with code %s is %s', (code, expected) => {
    expect(fromDatabaseError(withCode(code)).code).toBe(expected)
  })

  test('of a missing table names the remedy', () => {
    const { code, details } = fromDatabaseError(withCode('42P01'))
    expect(code).toBe('unavailable')
    expect(details.remedy).toContain('make migrate')
  })

  test('keeps the original as its cause', () => {
    const original = withCode('23505')
    expect(fromDatabaseError(original).cause).toBe(original)
  })

  test('that is ours already stays as it is', () => {
    const ours = new PlatformError('refused', 'no')
    expect(fromDatabaseError(ours)).toBe(ours)
  })

  test('ends the connection only when the server or the wire is gone', () => {
    expect(endsConnection(withCode('57P01'))).toBe(true)
    expect(endsConnection(new Error('Connection terminated unexpectedly'))).toBe(true)
    expect(endsConnection(withCode('23505'))).toBe(false)
    expect(endsConnection(withCode('57014'))).toBe(false)
  })
})
