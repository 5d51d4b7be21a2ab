import { defineConfig } from 'vitest/config'

/** The configuration of the soak. Its output is its report. */
export default defineConfig({
  test: {
    include: ['acceptance/faults/soak/soak.ts'],
    setupFiles: ['infra/testing/each-file.ts'],
    pool: 'forks',
    execArgv: ['--max-old-space-size=8192'],
    disableConsoleIntercept: true,
    reporters: ['default'],
    provide: { soak: process.env['SOAK'] ?? '' },
  },
})
