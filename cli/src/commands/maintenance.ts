import { defineCommand } from '../command-line/command-spec.ts'
import { keyed } from '../command-line/common-options.ts'

export const maintenance = defineCommand({
  name: 'maintenance',
  summary: 'Show what is under maintenance now, on every status page',
  details: [
    'The API tells the active window of a page, of several the one that ends last. Windows that have not begun are on the status page.',
  ],
  positional: [],
  options: keyed,
  examples: [
    ['service maintenance', 'the active windows'],
    ['service maintenance --json | jq .windows[].endsAt', 'when they end'],
  ],
  load: async () => (await import('../acts/list-maintenance.ts')).listMaintenance,
})
