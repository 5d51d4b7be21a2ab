import { defineCommand, text } from '../command-line/command-spec.ts'
import { common } from '../command-line/common-options.ts'

export const importCommand = defineCommand({
  name: 'import',
  summary: 'Make a file of checks from the file of another monitor',
  details: [
    'Reads an Uptime Kuma database (kuma.db) or backup, a Gatus configuration, or an Upptime .upptimerc.yml. Nothing is sent, and the file is only read.',
    'A monitor whose check would mean something else is skipped; those, and whatever differs, are listed on standard error. docs/import.md has what becomes of what.',
  ],
  positional: [
    { name: '<source>', description: 'the file of the other monitor', completes: 'file' },
  ],
  options: {
    file: text(
      '-f, --file <file>',
      'where to write, JSON where it ends in .json; without it standard output',
      { completes: 'file' },
    ),
    from: text('--from <monitor>', 'whose file it is, where that cannot be told', {
      choices: ['uptime-kuma', 'gatus', 'upptime'],
    }),
    ...common,
  },
  examples: [
    ['service import kuma.db -f checks.yaml', 'the monitors of Uptime Kuma as checks'],
    [
      'service import config.yaml | service validate -f -',
      'whether what Gatus checks can be carried over',
    ],
    ['service import .upptimerc.yml --json', 'checks, notes and what was skipped, for a program'],
  ],
  load: async () => (await import('../acts/import-file.ts')).importFile,
})
