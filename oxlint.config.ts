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
    'max-lines-per-function': ['error', { max: 150, skipBlankLines: true, skipComments: true }],
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
        'max-lines': ['error', { max: 400 }],
      },
    },
    { files: ['infra/**', 'acceptance/**', 'bench/**'], rules: { 'no-console': 'off' } },
    { files: ['*.config.ts', '*.config.mjs'], rules: { 'import/no-default-export': 'off' } },
  ],
})
