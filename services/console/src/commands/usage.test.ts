import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { invoke } from '../scid-fixture.js'

describe('the command line', () => {
  test.each([
    [['run'], "missing required argument 'task'"],
    [['run', ' '], 'TASK: is empty'],
    [['run', 'a', 'b'], 'too many arguments'],
    [['fly'], "unknown command 'fly'"],
    [['runs', '--nope'], "unknown option '--nope'"],
    [['run', 'x', '--profile', 'registry'], 'Allowed choices are science, harness'],
    [['run', 'x', '--approve', 'perhaps'], 'Allowed choices are ask, always, deny'],
    [['run', 'x', '--project', 'a/b'], '--project: "a/b" is no project id'],
    [['runs', '--server', 'nowhere'], '--server: "nowhere" is no address'],
    [['runs', '--limit', '0'], '--limit: "0" is not a whole number from 1 on'],
    [['up', '--server', 'h:1'], '--server: names a stack that runs elsewhere'],
    [['run', 'x'.repeat(1024 * 1024 + 1)], 'the limit is 1048576'],
    [[], 'Usage: scid'],
  ])('%j is exit 2 and says why', async (argv, problem) => {
    const used = invoke(argv)
    expect(await used.exit).toBe(2)
    expect(used.stderr()).toContain(problem)
    expect(used.stdout()).toBe('')
  })

  test('--help is exit 0 and names every command', async () => {
    const help = invoke(['--help'])
    expect(await help.exit).toBe(0)
    const names = [
      'up',
      'run',
      'watch',
      'runs',
      'sessions',
      'plan',
      'artifacts',
      'provenance',
      'approve',
      'stop',
      'doctor',
    ]
    for (const name of names) expect(help.stdout()).toMatch(new RegExp(`^  ${name} `, 'm'))
  })

  test('every command takes --data-dir and --server', async () => {
    for (const name of [
      'up',
      'run',
      'watch',
      'runs',
      'sessions',
      'plan',
      'artifacts',
      'provenance',
      'approve',
      'stop',
      'doctor',
    ]) {
      const help = invoke([name, '--help'])
      expect(await help.exit).toBe(0)
      expect(help.stdout()).toContain('--data-dir <dir>')
      expect(help.stdout()).toContain('--server <address>')
    }
  })

  test('a directory where no stack can start is exit 1 in one line', async () => {
    const runs = invoke(['runs'], { stdin: new PassThrough() })
    expect(await runs.exit).toBe(1)
    expect(runs.stderr()).toBe('scid: internal error: no stack may be started here\n')
  })
})
