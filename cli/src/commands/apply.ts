import { defineCommand, flag } from '../command-line/command-spec.ts'
import { keyed } from '../command-line/common-options.ts'
import { fileOption } from './file-option.ts'

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
