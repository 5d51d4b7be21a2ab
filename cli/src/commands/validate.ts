import { defineCommand } from '../command-line/command-spec.ts'
import { common } from '../command-line/common-options.ts'
import { fileOption } from './file-option.ts'

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
