import { defineConfig } from 'vitest/config'

/** Each starts processes that need both cores, a mesh of them or a Chromium. */
const ofProcesses = [
  'infra/mesh.test.ts',
  'infra/cut-off.test.ts',
  'infra/check-types.test.ts',
  'probe-agent/src/browser/host.test.ts',
  'probe-agent/src/browser/probe-browser.test.ts',
  'probe-agent/src/browser/visit.test.ts',
]

/** Minutes of both cores: they run where they are named, `npm test -- infra/scenarios`. */
const soaks = ['infra/scenarios/scenarios.test.ts']
const isNamed = process.argv.some((argument) => argument.includes('infra/scenarios'))

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
          exclude: ['**/node_modules/**', ...ofProcesses, ...(isNamed ? [] : soaks)],
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
          // the path runs in one process as well
          include: ['infra/path.test.ts', ...ofProcesses],
          globalSetup: ['infra/testing/chromium-setup.ts'],
          provide: { mesh: 'processes' },
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
