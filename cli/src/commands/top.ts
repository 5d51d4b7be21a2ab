import { defineCommand } from '../command-line/command-spec.ts'
import { keyed } from '../command-line/common-options.ts'

export const top = defineCommand({
  name: 'top',
  summary: 'Watch the checks live, in the terminal',
  details: [
    'Every check by region as it is measured: status, latency and age, each with its details. What is not heard of any more turns stale by itself. The key ? lists the keys; nothing is written but by r, which asks first.',
    'It needs a terminal of 40x10 at least. INK_SCREEN_READER=true shows sentences for screen readers, which change when a status does.',
    'With --json it needs no terminal: one JSON object a line, a snapshot of the checks after every connection, then the events of the API.',
  ],
  positional: [],
  options: keyed,
  examples: [
    ['service top', 'the live view'],
    ['service top --json', 'snapshots and events, a line each, for a program'],
  ],
  load: async () => (await import('../acts/top.ts')).top,
})
