import { defineCommand, flag } from '../command-line/command-spec.ts'
import { keyed } from '../command-line/common-options.ts'

export const status = defineCommand({
  name: 'status',
  summary: 'Show how the checks stand, or one of them with its regions',
  details: [
    'Without a name: every check with its aggregate status, the worst first. With one: each region with its reason, the phases of its newest reading, how old that is, and the uptime.',
    'With --watch it stays and shows changes as they happen: in place on a terminal, elsewhere a line for each, with --json an object on a line. Ctrl-C ends it.',
    'Exits 0 whatever the status is, 1 where it cannot be read.',
  ],
  positional: [{ name: '[name]', description: 'the name of a check, or its id' }],
  options: { watch: flag('--watch', 'stay, and show changes as they happen'), ...keyed },
  examples: [
    ['service status', 'every check'],
    ['service status api', 'one check, region by region'],
    ['service status --watch', 'a live view; Ctrl-C ends it'],
    [
      'service status --json | jq -r \'.checks[] | select(.status == "down") | .name\'',
      'what is down',
    ],
  ],
  load: async () => {
    const { showStatus } = await import('../acts/show-status.ts')
    const { followEvents } = await import('../api/follow-events.ts')
    return showStatus({ followEvents, rows: () => process.stdout.rows })
  },
})
