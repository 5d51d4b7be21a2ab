import { failureJsonVersion } from '../api/failure.ts'
import { keyOptions, type CommandSpec, type OptionSpec } from '../command-line/command-spec.ts'
import { parseChecksFile } from '../file/parse-file.ts'
import { fileSection } from './file-section.ts'
import { code, fenced, prose, table } from './markdown.ts'

/** `docs/cli.md`: the commands from their table, the file format from its parser. */
export const cliDocument = (commands: readonly CommandSpec[]): string =>
  [
    '# The command line',
    '',
    'The executable is `probe-mesh`; `service` is another name for it, which hides the system command of that name on servers',
    'where it comes first in the PATH. It needs Node 22 or newer. In a checkout, run `npm run -s service -- <command>`.',
    '`probe-mesh <command> --help` prints the same. Generated from `cli/src/commands`',
    'and `cli/src/file` by `npm run docs`.',
    '',
    ...table([
      ['command', ''],
      ...commands.map(({ name, summary }) => [
        `[${code(`probe-mesh ${name}`)}](#probe-mesh-${name})`,
        prose(summary),
      ]),
    ]),
    '',
    '## Common options and behaviour',
    '',
    ...commonOptions(),
    '',
    'The key comes from `--api-key`, else from `SERVICE_API_KEY`; `apply` needs a `read_write` key. An empty variable counts as',
    'not set.',
    '',
    'Standard output has the answer, standard error everything else. There are no colours and no moving lines if the',
    'output is not a terminal, and no colours if `NO_COLOR` is set.',
    '',
    ...table([
      ['exit code', ''],
      ['0', 'done, nothing to do, or a dry run without changes'],
      ['1', 'refused, invalid, unreachable, or an invalid command line'],
      ['2', 'a dry run found changes'],
    ]),
    '',
    'An API refusal is printed with its message and code as returned. With `--json` a failure is one document on standard',
    'output: `version` is raised when a field changes its meaning or is removed, and each of `problems` has a `message`. A problem',
    'of a file also has its position; an API refusal is its whole problem document.',
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

const shared = new Set<OptionSpec>(Object.values(keyOptions))

/** One command as a section of `docs/cli.md`. Shared options are only named. */
export const commandSection = (spec: CommandSpec): string[] => {
  const own = Object.values(spec.options).filter((option) => !shared.has(option))
  const common = Object.values(spec.options).filter((option) => shared.has(option))
  return [
    `### probe-mesh ${spec.name}`,
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
    ...(common.length === 0 ? [] : [`Of every command: ${common.map(longName).map(code).join(', ')}.`, '']),
    ...fenced('sh', spec.examples.map(([line, effect]) => `# ${effect}\n${line}`).join('\n')),
    '',
  ]
}

/** The options that several commands share. */
const commonOptions = (): string[] => optionTable([...shared])

const optionTable = (options: readonly OptionSpec[]): string[] =>
  table([['option', ''], ...options.map(optionRow)])

const usageOf = ({ name, options, positional }: CommandSpec): string =>
  [
    `probe-mesh ${name}`,
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
  return [code(option.flags), `${prose(option.description)}${known}${isRequired ? ' (required)' : ''}`]
}

const longName = ({ flags }: OptionSpec): string => /--[\w-]+/.exec(flags)?.[0] ?? flags
