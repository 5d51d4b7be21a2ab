import {
  common,
  defineCommand,
  flag,
  keyed,
  requiredText,
  text,
} from '../command-line/command-spec.ts'

/** The file of checks that a command reads. */
const fileOption = requiredText(
  '-f, --file <file>',
  'the file of checks, YAML or .json; - is standard input',
  { completes: 'file' },
)

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

export const validate = defineCommand({
  name: 'validate',
  summary: 'Check a file of checks; nothing is sent',
  details: ['Every problem is listed with its line. Exits 1 where there is one.'],
  positional: [],
  options: { file: fileOption, ...common },
  examples: [
    ['service validate -f checks.yaml', 'says whether the file could be applied to an account'],
    ['service validate -f checks.yaml --json', 'the problems as JSON, with line and column'],
  ],
  load: async () => (await import('../acts/validate-file.ts')).validateFile,
})

export const apply = defineCommand({
  name: 'apply',
  summary: "Make the account's http checks those of a file",
  details: [
    'Checks are matched by name. The plan is made from the account as it is now and shown first: + create, ~ update, ! replace, - delete, = unchanged, ? a note.',
    'The run stops at the first refusal of the API. It needs a read_write key.',
    'Exits 0 when applied or when there is nothing to do, 2 when a dry run found changes, 1 otherwise.',
  ],
  positional: [],
  options: {
    file: fileOption,
    dryRun: flag('--dry-run', 'only show the plan; exits 2 if anything would change'),
    prune: flag('--prune', 'also delete http checks that the file lacks; needs --yes'),
    yes: flag('--yes', 'accept the deletions of --prune; nothing ever asks'),
    allowReplace: flag(
      '--allow-replace',
      'accept that a changed url or intervalSeconds deletes a check with its history and creates it anew',
    ),
    ...keyed,
  },
  examples: [
    ['service apply -f checks.yaml --dry-run', 'what would change'],
    ['service apply -f checks.yaml', 'creates and updates'],
    ['service apply -f checks.yaml --prune --yes', 'also deletes what the file lacks'],
    ['service apply -f checks.yaml --dry-run --json', 'the plan for a program'],
  ],
  load: async () => (await import('../acts/apply-file.ts')).applyFile,
})

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
