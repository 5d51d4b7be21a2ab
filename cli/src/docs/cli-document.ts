import { failureJsonVersion } from '../api/failure.ts'
import type { CommandSpec } from '../command-line/command-spec.ts'
import { parseChecksFile } from '../file/parse-file.ts'
import { commandSection, commonOptions } from './command-section.ts'
import { fileSection } from './file-section.ts'
import { code, fenced, prose, table } from './markdown.ts'

/** `docs/cli.md`: the commands as their table has them, the file as its parser takes it. */
export const cliDocument = (commands: readonly CommandSpec[]): string =>
  [
    '# The command line',
    '',
    'The executable is `service`, and `probe-mesh` is another name for it; it needs Node 22. In a checkout it is',
    '`npm run -s service -- <command>`. `service <command> --help` says what stands here. Printed from `cli/src/commands`',
    'and `cli/src/file` by `npm run docs`.',
    '',
    ...table([
      ['command', ''],
      ...commands.map(({ name, summary }) => [
        `[${code(`service ${name}`)}](#service-${name})`,
        prose(summary),
      ]),
    ]),
    '',
    '## What all of them have in common',
    '',
    ...commonOptions(),
    '',
    'The key comes from `--api-key`, else from `SERVICE_API_KEY`; to apply it must be a `read_write` key. An empty variable is',
    'none.',
    '',
    'Standard output has what was asked for, standard error everything else. There are no colours and no moving lines where the',
    'output is no terminal, and no colours where `NO_COLOR` is set.',
    '',
    ...table([
      ['exit code', ''],
      ['0', 'done, nothing to do, or a dry run that found no changes'],
      ['1', 'refused, invalid, not reached, or a command line that cannot be understood'],
      ['2', 'a dry run found changes'],
    ]),
    '',
    'What the API refuses is printed with its message and code as returned. With `--json` a failure is one document on standard',
    'output: `version` is raised when a field changes its meaning or goes, and each of `problems` has a `message`. A problem of a',
    'file has its place besides; a refusal of the API is its whole problem document.',
    '',
    ...fenced('json', failureExample()),
    '',
    '## Commands',
    '',
    ...commands.flatMap(commandSection),
    ...fileSection(),
  ].join('\n')

const failureExample = (): string => {
  const parsed = parseChecksFile('version: 1\nchecks:\n  - name: a\n    url: *main\n', 'yaml')
  const problems = parsed.ok ? [] : parsed.problems
  return JSON.stringify({ version: failureJsonVersion, problems }, null, 2)
}
