import { defineConfig } from 'vitest/config'

/** Each starts a mesh of processes that needs both cores; the path runs in one process as well. */
const ofProcesses = ['infra/path.test.ts', 'infra/mesh.test.ts', 'infra/cut-off.test.ts']

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    projects: [
      {
        extends: true,
        test: {
          name: 'one process',
          include: ['*/src/**/*.test.ts', 'infra/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...ofProcesses.slice(1)],
          globalSetup: ['infra/testing/global-setup.ts'],
          provide: { mesh: 'one process' },
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: ofProcesses,
          provide: { mesh: 'processes' },
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
