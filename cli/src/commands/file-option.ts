import { requiredText } from '../command-line/command-spec.ts'

/** The file of checks that a command reads. */
export const fileOption = requiredText(
  '-f, --file <file>',
  'the file of checks, YAML or .json; - is standard input',
  { completes: 'file' },
)
