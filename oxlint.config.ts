import { defineConfig } from 'oxlint'

/** The dependency rule is not here: `dependency-rule/` judges every import of the tree. */
export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  ignorePatterns: ['**/node_modules/**', '.data/**', '**/dist/**'],
  rules: {
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/consistent-type-imports': 'error',
    'import/no-default-export': 'error',
    'import/no-cycle': 'error',
    'import/no-duplicates': ['error', { preferInline: true }],
    'max-lines': ['error', { max: 300, skipBlankLines: false, skipComments: false }],
    'max-lines-per-function': ['error', { max: 120 }],
    complexity: ['error', { max: 20 }],
    'import/no-named-as-default-member': 'off',
    'import/no-named-as-default': 'off',
    'oxc/no-map-spread': 'off',
    'no-await-in-loop': 'off',
    'no-shadow': 'off',
    'unicorn/no-array-reduce': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'promise/always-return': 'off',
    'no-console': 'error',
    eqeqeq: 'error',
    'no-restricted-properties': [
      'error',
      { object: 'AbortSignal', property: 'any', message: 'It may miss an abort: anySignal.' },
    ],
  },
  overrides: [
    {
      files: [
        '**/*.test.ts',
        '**/testing.ts',
        '**/testing/**',
        'bus/src/contract-suite.ts',
        'bus/src/contract-suite/**',
      ],
      rules: {
        'no-restricted-properties': 'off',
        'max-lines-per-function': 'off',
        complexity: 'off',
        'max-lines': ['error', { max: 400 }],
      },
    },
    {
      // the list of what a server binds, the list of rooms, and two loops of error tracking
      files: [
        'control-plane/src/app/app.ts',
        '**/accept/open/opener.ts',
        '**/persist/persister.ts',
        'dependency-rule/control-plane.ts',
      ],
      rules: { 'max-lines-per-function': 'off' },
    },
    {
      // truth functions and pure decisions with their oracles, and readers of foreign formats
      files: [
        'acceptance/judge/judge.ts',
        'acceptance/judge/world/truth.ts',
        'acceptance/papers/source-text.ts',
        '**/events/envelope/read-event.ts',
        'control-plane/src/status/aggregate.ts',
        'terraform/src/protocol/values/read-msgpack.ts',
      ],
      rules: { complexity: 'off' },
    },
    { files: ['infra/**', 'acceptance/**', 'bench/**'], rules: { 'no-console': 'off' } },
    { files: ['*.config.ts', '*.config.mjs'], rules: { 'import/no-default-export': 'off' } },
  ],
})
