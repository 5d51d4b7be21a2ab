import { defineCommand } from '../command-line/command-spec.ts'
import { calling } from '../command-line/common-options.ts'

export const outage = defineCommand({
  name: 'outage',
  summary: 'Say whether a service of the catalog is down, without a key',
  details: [
    'The answer comes from our own probes, with the regions that were read, when, and how fresh that is. A service that refuses probes is blocked, not down; one that nobody measures is not covered, never guessed.',
    'Exits 0 with any answer, 1 where there is none.',
  ],
  positional: [{ name: '<service>', description: 'a slug, a name, an alias or a domain' }],
  options: calling,
  examples: [
    ['service outage github', 'whether GitHub is down, and where'],
    ['service outage github.com --json | jq -r .status', 'its status as a word'],
  ],
  load: async () => (await import('../acts/ask-outage.ts')).askOutage,
})
