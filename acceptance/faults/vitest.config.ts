import { defineConfig, mergeConfig } from 'vitest/config'
import whole from '../../vitest.config.ts'
import { FaultReporter } from './reporter.ts'

/** The whole suite's configuration with one more reporter; which files run is said where it is started. */
export default mergeConfig(
  whole,
  defineConfig({
    test: {
      reporters: ['default', new FaultReporter((process.env['FAULTS'] ?? '').split(','))],
    },
  }),
)
