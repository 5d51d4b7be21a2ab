import { defineCommand } from '../command-line/command-spec.ts'
import { keyed } from '../command-line/common-options.ts'

export const run = defineCommand({
  name: 'run',
  summary: 'Measure a check now, from each of its regions',
  details: [
    'Shows the verdict of each region and where the time went: dns, connect, tls, ttfb and transfer, or the requests of a multi-step check. A region that does not answer is unmeasured, not down.',
    'It needs a read_write key and counts as one write. Exits 0 when measured, also where the target is down, 1 when refused.',
  ],
  positional: [{ name: '<check>', description: 'the name of a check, or its id' }],
  options: keyed,
  examples: [
    ['service run api', 'measures the check named api'],
    [
      'service run api --json | jq -r \'.readings[] | "\\(.region) \\(.latencyMs)"\'',
      'its latencies',
    ],
  ],
  load: async () => (await import('../acts/run-check.ts')).runCheck,
})
