import { defineConfig } from 'vitest/config'

/**
 * Tiers are told apart by file name: `x.test.ts` unit, `x.int.test.ts` integration,
 * `x.e2e.test.ts` end to end, `x.chaos.test.ts` separate processes that get killed, `x.attack.test.ts` attacks.
 */
const tier = (name: string, include: string[], exclude: string[], testTimeout: number) => ({
  extends: true as const,
  test: {
    name,
    include,
    exclude: ['**/node_modules/**', '**/dist/**', ...exclude],
    testTimeout,
    hookTimeout: 120_000,
    // Whole processes on two busy cores may miss a deadline once; a second miss is a failure.
    retry: name === 'e2e' || name === 'chaos' ? 1 : 0,
  },
})

export default defineConfig({
  resolve: { conditions: ['source', 'node'] },
  ssr: { resolve: { conditions: ['source', 'node'] } },
  test: {
    maxWorkers: 2,
    projects: [
      tier(
        'unit',
        ['{libs,services,deploy}/**/src/**/*.test.ts', 'test/**/*.test.ts'],
        ['**/*.{int,e2e,chaos,attack}.test.ts'],
        10_000,
      ),
      tier(
        'int',
        ['{libs,services,deploy}/**/src/**/*.int.test.ts', 'test/**/*.int.test.ts'],
        [],
        60_000,
      ),
      tier('e2e', ['test/**/*.e2e.test.ts'], [], 120_000),
      tier('chaos', ['test/**/*.chaos.test.ts'], [], 240_000),
      tier('attack', ['test/**/*.attack.test.ts'], [], 60_000),
    ],
  },
})
