import { defineCommand, text } from '../command-line/command-spec.ts'
import { keyed } from '../command-line/common-options.ts'

export const incidents = defineCommand({
  name: 'incidents',
  summary: 'List the newest incidents of every check',
  positional: [],
  options: { limit: text('--limit <n>', 'how many, 1 to 500; without it 20'), ...keyed },
  examples: [
    ['service incidents', 'the newest 20'],
    [
      "service incidents --limit 500 --json | jq '.incidents[] | select(.resolvedAt == null)'",
      'those that are not over',
    ],
  ],
  load: async () => (await import('../acts/list-incidents.ts')).listIncidents,
})
