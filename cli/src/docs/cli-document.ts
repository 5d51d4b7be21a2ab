import { failureJsonVersion } from '../api/failure.ts'
import { keyed } from '../command-line/command-spec.ts'
import type { CommandSpec, OptionSpec } from '../command-line/command-spec.ts'
import { parseChecksFile } from '../file/parse-file.ts'
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

const shared = new Set<OptionSpec>(Object.values(keyed))

/** One command as a section of `docs/cli.md`. Options that others have as well are named only. */
export const commandSection = (spec: CommandSpec): string[] => {
  const own = Object.values(spec.options).filter((option) => !shared.has(option))
  const common = Object.values(spec.options).filter((option) => shared.has(option))
  return [
    `### service ${spec.name}`,
    '',
    `${prose(spec.summary)}.`,
    '',
    ...fenced('text', usageOf(spec)),
    '',
    ...(spec.details ?? []).flatMap((paragraph) => [prose(paragraph), '']),
    ...(spec.positional.length === 0
      ? []
      : [...table([['argument', ''], ...spec.positional.map(argumentRow)]), '']),
    ...(own.length === 0 ? [] : [...optionTable(own), '']),
    ...(common.length === 0
      ? []
      : [`Of every command: ${common.map(longName).map(code).join(', ')}.`, '']),
    ...fenced('sh', spec.examples.map(([line, effect]) => `# ${effect}\n${line}`).join('\n')),
    '',
  ]
}

/** The options that several commands have. */
const commonOptions = (): string[] => optionTable([...shared])

const optionTable = (options: readonly OptionSpec[]): string[] =>
  table([['option', ''], ...options.map(optionRow)])

const usageOf = ({ name, options, positional }: CommandSpec): string =>
  [
    `service ${name}`,
    ...Object.values(options).flatMap((option) =>
      option.kind === 'text' && option.isRequired ? [option.flags.replace(/^-\w, /, '')] : [],
    ),
    '[options]',
    ...positional.map((argument) => argument.name),
  ].join(' ')

const argumentRow = ({ name, description }: CommandSpec['positional'][number]): string[] => [
  code(name),
  prose(description),
]

const optionRow = (option: OptionSpec): string[] => {
  const isRequired = option.kind === 'text' && option.isRequired
  const choices = option.kind === 'text' ? option.choices : undefined
  const known = choices === undefined ? '' : `: ${choices.map(code).join(', ')}`
  return [
    code(option.flags),
    `${prose(option.description)}${known}${isRequired ? ' (required)' : ''}`,
  ]
}

const longName = ({ flags }: OptionSpec): string => /--[\w-]+/.exec(flags)?.[0] ?? flags
