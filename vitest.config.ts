import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['*/src/**/*.test.ts', 'infra/**/*.test.ts', 'bench/**/*.test.ts'],
    globalSetup: ['infra/testing/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
})
