import type { CommandSpec, OptionSpec } from '../command-line/command-spec.ts'
import { keyed } from '../command-line/common-options.ts'
import { code, fenced, prose, table } from './markdown.ts'

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
export const commonOptions = (): string[] => optionTable([...shared])

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
