import { parseArgs } from 'node:util'
import { helpRows } from './help-rows.ts'
import { right, type Kind, type Setting, type Settings, type ValuesOf } from './setting.ts'

/** One command. Parsing, validation and help all come from it. */
type CommandSpec = {
  summary: string
  /** By position. */
  arguments?: Settings
  /** By name, without the dashes. */
  options?: Settings
  /** Checks several options together. @param given the values that were valid, even of an invalid line */
  judge?(given: Readonly<Record<string, unknown>>): readonly string[]
}

/** A command line as data. A program of one command names it ''. */
type CommandLine<C extends Record<string, CommandSpec>> = {
  /** What people type before a command: `npm run -s admin --`. */
  call: string
  /** The purpose, in a sentence or two. */
  about: string
  commands: C
  /** Help text after commands and options. */
  notes?: string
}

/** The values of a command line, by the names of its arguments and options. */
export type Given<S extends CommandSpec> = ValuesOf<NonNullable<S['arguments']>> &
  ValuesOf<NonNullable<S['options']>>

export type Called<C extends Record<string, CommandSpec>> = {
  [N in keyof C]: { kind: 'run'; command: N; given: Given<C[N]> }
}[keyof C]

type ParsedArgv<C extends Record<string, CommandSpec>> =
  | Called<C>
  | { kind: 'help'; text: string }
  | { kind: 'wrong'; problems: string[] }

const flagKind: Kind<boolean> = { form: '', parse: () => right(true) }

/** An option without a value. */
export const flag = (meaning: string): Setting<boolean> => ({
  kind: flagKind,
  read: (text) => right(text !== null),
  absent: '',
  meaning,
  isSecret: false,
})

/** Infers the types of the commands. */
export const defineCommandLine = <const C extends Record<string, CommandSpec>>(
  line: CommandLine<C>,
): CommandLine<C> => line

/**
 * Parses a command line. `--help`, `-h`, or a missing command prints help.
 * @returns all problems of an invalid line at once
 */
export const parseArgv = <C extends Record<string, CommandSpec>>(
  line: CommandLine<C>,
  argv: readonly string[],
): ParsedArgv<C> => {
  const { words, options, problems, isHelp } = tokensOf(line.commands, argv)
  const isSingle = Object.hasOwn(line.commands, '')
  if (isHelp || (argv.length === 0 && !isSingle)) return { kind: 'help', text: helpOf(line) }
  const name = isSingle ? '' : commandIn(line.commands, words)
  const command = name === null ? undefined : line.commands[name]
  if (name === null || command === undefined) {
    const what = words.length === 0 ? 'no command' : `unknown command: ${words.join(' ')}`
    return { kind: 'wrong', problems: [what, ...problems] }
  }
  const rest = words.slice(wordsOf(name).length)
  const given = {
    ...argumentsOf(name, command, rest, problems),
    ...optionsOf(name, command, options, problems),
  }
  problems.push(...(command.judge?.(given) ?? []))
  return problems.length > 0
    ? { kind: 'wrong', problems }
    : ({ kind: 'run', command: name, given } as unknown as Called<C>)
}

const wordsOf = (name: string): string[] => (name === '' ? [] : name.split(' '))

/** `keyId` is shown as `<key id>`. */
const shownAs = (place: string): string =>
  `<${place.replaceAll(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`)}>`

const isFlag = (setting: Setting<unknown>): boolean => setting.kind === flagKind

/** The longest command that matches the first words. */
const commandIn = (commands: Record<string, CommandSpec>, words: readonly string[]) => {
  const matching = Object.keys(commands).filter((name) =>
    wordsOf(name).every((word, at) => words[at] === word),
  )
  return matching.toSorted((one, other) => other.length - one.length)[0] ?? null
}

type Tokens = {
  words: string[]
  options: Map<string, string>
  problems: string[]
  isHelp: boolean
}

const tokensOf = (commands: Record<string, CommandSpec>, argv: readonly string[]): Tokens => {
  const known = new Map(Object.values(commands).flatMap(({ options = {} }) => Object.entries(options)))
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      [...known].map(([name, setting]) => [
        name,
        { type: isFlag(setting) ? ('boolean' as const) : ('string' as const) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const found: Tokens = { words: [], options: new Map(), problems: [], isHelp: false }
  for (const token of tokens) {
    if (token.kind === 'positional') found.words.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    const setting = known.get(name)
    if (setting === undefined) {
      if (name === 'help' || name === 'h') found.isHelp = true
      else found.problems.push(`unknown option: ${rawName}`)
      continue
    }
    if (found.options.has(name)) found.problems.push(`${rawName} is set twice`)
    else if (isFlag(setting) && value !== undefined) found.problems.push(`${rawName} takes no value`)
    else if (!isFlag(setting) && !value?.trim()) found.problems.push(`${rawName} needs a value`)
    // set even without a value: the option itself is then not reported as missing
    found.options.set(name, value?.trim() ?? '')
  }
  return found
}

const argumentsOf = (
  name: string,
  { arguments: places = {} }: CommandSpec,
  rest: readonly string[],
  problems: string[],
): Record<string, unknown> => {
  const names = Object.keys(places)
  if (rest.length > names.length) {
    const wanted = names.map(shownAs).join(' ')
    const subject = name === '' ? 'the command' : name
    problems.push(`${subject} takes ${wanted === '' ? 'no arguments' : wanted}, not ${rest.join(' ')}`)
  }
  return readAll(
    names.map((place, at) => [shownAs(place), place, places[place], rest[at] ?? null]),
    name,
    problems,
  )
}

const optionsOf = (
  name: string,
  { options: settings = {} }: CommandSpec,
  given: ReadonlyMap<string, string>,
  problems: string[],
): Record<string, unknown> => {
  for (const option of given.keys()) {
    if (!Object.hasOwn(settings, option)) problems.push(`${name} has no option --${option}`)
  }
  return readAll(
    // a missing value was already reported
    Object.keys(settings)
      .filter((option) => isFlag(settings[option] as Setting<unknown>) || given.get(option) !== '')
      .map((option) => [`--${option}`, option, settings[option], given.get(option) ?? null]),
    name,
    problems,
  )
}

type Place = [shown: string, name: string, setting: Setting<unknown> | undefined, text: string | null]

const readAll = (places: readonly Place[], command: string, problems: string[]): Record<string, unknown> => {
  const values: Record<string, unknown> = {}
  for (const [shown, name, setting, text] of places) {
    if (setting === undefined) continue
    const read = setting.read(text)
    if (read.ok) values[name] = read.value
    else if (text === null && setting.absent === null && command !== '') {
      problems.push(`${command} needs ${shown}`)
    } else problems.push(...read.problems.map((problem) => `${shown} ${problem}`))
  }
  return values
}

/** The output of `--help`. */
export const helpOf = <C extends Record<string, CommandSpec>>(line: CommandLine<C>): string => {
  const commands = Object.entries<CommandSpec>(line.commands)
  const explained: [string, string][] = commands.flatMap(
    ([, { arguments: places = {}, options = {} }]): [string, string][] => [
      ...Object.entries(places).map(([name, setting]): [string, string] => [shownAs(name), explain(setting)]),
      ...Object.entries(options).map(([name, setting]): [string, string] => [
        optionUsage(name, setting),
        explain(setting),
      ]),
    ],
  )
  // explain shared options once
  const once = new Map(explained.map((row) => [row.join(' '), row]))
  const isSingle = Object.hasOwn(line.commands, '')
  const parts = [
    line.about,
    commands.map(([name, spec]) => `  ${usageOf(line.call, name, spec)}`).join('\n'),
    isSingle ? '' : helpRows(commands.map(([name, { summary }]) => [name, summary])),
    helpRows([...once.values(), ['--help', 'print this text']]),
    line.notes?.trim() ?? '',
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

const usageOf = (call: string, name: string, { arguments: places = {}, options = {} }: CommandSpec) =>
  [
    call,
    ...wordsOf(name),
    ...Object.entries(places).map(([place, { absent }]) =>
      absent === null ? shownAs(place) : `[${shownAs(place)}]`,
    ),
    ...Object.entries(options).map(([option, setting]) =>
      setting.absent === null ? optionUsage(option, setting) : `[${optionUsage(option, setting)}]`,
    ),
  ].join(' ')

const optionUsage = (name: string, setting: Setting<unknown>): string =>
  isFlag(setting) ? `--${name}` : `--${name} <${name}>`

const explain = ({ meaning, absent }: Setting<unknown>): string =>
  absent === null || absent === '' ? meaning : `${meaning} (${absent})`
