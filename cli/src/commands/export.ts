import { defineCommand, text } from '../command-line/command-spec.ts'
import { keyed } from '../command-line/common-options.ts'

export const exportCommand = defineCommand({
  name: 'export',
  summary: "Write the account's http checks to a file",
  details: [
    'Applying the file back plans no change. Checks of other types are named in a comment at its head.',
    'Exits 1, and writes nothing, where several checks have one name.',
  ],
  positional: [],
  options: {
    file: text(
      '-f, --file <file>',
      'where to write, JSON where it ends in .json; without it standard output',
      {
        completes: 'file',
      },
    ),
    ...keyed,
  },
  examples: [
    ['service export -f checks.yaml', 'the account as a file that can be kept in Git'],
    ['service export --json | jq .checks[].url', 'the same as JSON on standard output'],
  ],
  load: async () => (await import('../acts/export-file.ts')).exportFile,
})
