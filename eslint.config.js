import js from '@eslint/js'
import prettier from 'eslint-config-prettier'
import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'

const forbid = (selector, message) => ({ selector, message })
const replayable = [
  forbid(
    "NewExpression[callee.name='Date'][arguments.length=0]",
    'Time arrives in the command or event.',
  ),
  forbid(
    "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    'Time arrives in the command or event.',
  ),
  forbid(
    "CallExpression[callee.object.name='Math'][callee.property.name='random']",
    'Randomness arrives in the command.',
  ),
  forbid(
    "CallExpression[callee.name='randomUUID'], CallExpression[callee.property.name='randomUUID']",
    'Ids arrive in the command.',
  ),
  forbid("MemberExpression[object.name='process']", 'Nothing here may depend on the process.'),
]
const synchronous = [
  forbid(
    'AwaitExpression, :function[async=true]',
    'The domain is synchronous: I/O belongs in a reactor.',
  ),
]

export default defineConfig(
  {
    ignores: [
      '**/node_modules/**',
      '**/dist/**',
      'libs/proto-gen/**',
      'bench-peers/**',
      '.tools/**',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      complexity: ['error', { max: 10, variant: 'modified' }],
      'max-depth': ['error', 3],
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 4],
      eqeqeq: 'error',
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only config.ts reads the environment.' },
      ],
      'no-warning-comments': ['error', { terms: ['fixme', 'hack', 'xxx'] }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: false },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
    },
  },
  {
    files: ['services/*/src/domain/**'],
    ignores: ['**/*.test.ts', '**/*-fixture.ts'],
    rules: { 'no-restricted-syntax': ['error', ...replayable, ...synchronous] },
  },
  {
    files: ['services/*/src/projections/**', 'libs/run-events/**'],
    ignores: ['**/*.test.ts', '**/*-fixture.ts'],
    rules: { 'no-restricted-syntax': ['error', ...replayable] },
  },
  {
    files: ['**/config.ts', '**/*.test.ts', 'libs/testing/**', 'test/**'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['**/*.test.ts', '**/*-fixture*.ts', 'libs/testing/**', 'test/**'],
    rules: {
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      // vitest types its asymmetric matchers as any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
  // Benchmarks and scripts talk to a terminal.
  { files: ['test/bench/**', 'deploy/scripts/**'], rules: { 'no-console': 'off' } },
  {
    files: ['**/*.js', '**/*.mjs', '**/*.cjs'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: {
      globals: {
        module: 'writable',
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
      },
    },
    rules: {
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      'no-restricted-properties': 'off',
    },
  },
  prettier,
)
