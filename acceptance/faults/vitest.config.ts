import { defineConfig, mergeConfig } from 'vitest/config'
import whole from '../../vitest.config.ts'
import { FaultReporter } from './reporter.ts'

/** The configuration of all tests with another reporter. The caller selects the files. */
export default mergeConfig(
  whole,
  defineConfig({
    test: {
      reporters: ['default', new FaultReporter((process.env['FAULTS'] ?? '').split(','))],
    },
  }),
)
