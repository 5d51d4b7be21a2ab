import {
  commonOptions,
  defineCommand,
  flag,
  keyOptions,
  requiredText,
  text,
} from '../command-line/command-spec.ts'

/** The file of checks that a command reads. */
const fileOption = requiredText(
  '-f, --file <file>',
  'file of checks, YAML or .json; - reads standard input',
  { completes: 'file' },
)

export const exportCommand = defineCommand({
  name: 'export',
  summary: "Write the account's http checks to a file",
  details: [
    'Applying the file again changes nothing. A comment at its top names the checks of other types.',
    'Exits 1 and writes nothing if an http check shares its name with another check.',
  ],
  positional: [],
  options: {
    file: text('-f, --file <file>', 'output file, JSON if it ends in .json (default: standard output)', {
      completes: 'file',
    }),
    ...keyOptions,
  },
  examples: [
    ['probe-mesh export -f checks.yaml', 'write the checks to a file that you can keep in Git'],
    ['probe-mesh export --json | jq .checks[].url', 'print them as JSON'],
  ],
  load: async () => (await import('../actions/export-file.ts')).exportFile,
})

export const validate = defineCommand({
  name: 'validate',
  summary: 'Validate a file of checks without sending anything',
  details: ['Lists every problem with its line. Exits 1 if there is one.'],
  positional: [],
  options: { file: fileOption, ...commonOptions },
  examples: [
    ['probe-mesh validate -f checks.yaml', 'list the problems of the file'],
    ['probe-mesh validate -f checks.yaml --json', 'print the problems as JSON, with line and column'],
  ],
  load: async () => (await import('../actions/validate-file.ts')).validateFile,
})

export const apply = defineCommand({
  name: 'apply',
  summary: "Change the account's http checks to match a file",
  details: [
    'Checks are matched by name. The changes are computed from the account as it is now and printed first: + create, ~ update, ! replace, - delete, = unchanged, ? a note.',
    'The API judges all changes before they are printed: what it would refuse is listed with its line, and nothing is sent. A run needs a read_write key; it waits for the rate limit and up to 30 s for an API that restarts.',
    'Exits 0 when everything is applied or nothing differs, 2 when a dry run finds changes, 1 otherwise.',
  ],
  positional: [],
  options: {
    file: fileOption,
    dryRun: flag(
      '--dry-run',
      'print the changes without applying them; exits 2 if there are any, 1 if the API would refuse one',
    ),
    prune: flag('--prune', 'also delete http checks that are not in the file; needs --yes'),
    yes: flag('--yes', 'accept the deletions of --prune; there is no prompt'),
    allowReplace: flag(
      '--allow-replace',
      'allow a changed url or intervalSeconds to replace a check, which loses its history and id',
    ),
    ...keyOptions,
  },
  examples: [
    ['probe-mesh apply -f checks.yaml --dry-run', 'show what would change'],
    ['probe-mesh apply -f checks.yaml', 'create and update checks'],
    ['probe-mesh apply -f checks.yaml --prune --yes', 'also delete checks that are not in the file'],
    ['probe-mesh apply -f checks.yaml --dry-run --json', 'print the changes as JSON'],
  ],
  load: async () => (await import('../actions/apply-file.ts')).applyFile,
})

export const importCommand = defineCommand({
  name: 'import',
  summary: 'Convert the file of another monitor to a file of checks',
  details: [
    'Reads an Uptime Kuma database (kuma.db) or backup, a Gatus configuration, or an Upptime .upptimerc.yml. It sends nothing and does not change the source file.',
    'Monitors whose check would measure something else are skipped. Standard error lists them and every other difference. docs/guides/checks-as-code.md has the full mapping.',
  ],
  positional: [{ name: '<source>', description: 'the file of the other monitor', completes: 'file' }],
  options: {
    file: text('-f, --file <file>', 'output file, JSON if it ends in .json (default: standard output)', {
      completes: 'file',
    }),
    from: text('--from <monitor>', 'the monitor that the file is from (default: detected)', {
      choices: ['uptime-kuma', 'gatus', 'upptime'],
    }),
    ...commonOptions,
  },
  examples: [
    ['probe-mesh import kuma.db -f checks.yaml', 'convert the monitors of Uptime Kuma'],
    [
      'probe-mesh import config.yaml | probe-mesh validate -f -',
      'convert a Gatus configuration and validate the result',
    ],
    ['probe-mesh import .upptimerc.yml --json', 'print checks, notes and skipped monitors as JSON'],
  ],
  load: async () => (await import('../actions/import-file.ts')).importFile,
})
