import { defineCommand } from '../command-line/command-spec.ts'
import { keyed } from '../command-line/common-options.ts'

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Look for what keeps the command line from working, and say what to do',
  details: [
    'Looks at Node, the terminal, the address of the API and the way there, the clock, the key, what is left of its limits, and whether its checks have fresh readings. Nothing is changed.',
    'Exits 1 where something fails; a warning is no failure.',
  ],
  positional: [],
  options: keyed,
  examples: [
    ['service doctor', 'what works and what does not'],
    ['service doctor --json | jq \'.findings[] | select(.level != "ok")\'', 'only what does not'],
  ],
  load: async () => (await import('../acts/doctor.ts')).doctor,
})
