import { Command, CommanderError, Option } from 'commander'
import type { ExitCode } from '../apply/exit-code.ts'
import type { Output, World } from '../terminal/world.ts'
import type { CommandSpec, OptionSpec } from './command-spec.ts'
import { version } from './version.ts'

/**
 * Parses a command line and carries it out.
 * @param argv without the executable
 * @returns the exit code: 1 of a command line that cannot be understood, which is then said
 */
export const runCommandLine = async (
  commands: readonly CommandSpec[],
  world: World,
  argv: readonly string[],
): Promise<ExitCode> => {
  let exitCode: ExitCode = 0
  const program = createProgram(commands, world, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync(argv, { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? 0 : 1
  }
}

/** @param end told how a command ended */
const createProgram = (
  commands: readonly CommandSpec[],
  world: World,
  end: (exitCode: ExitCode) => void,
): Command => {
  const program = new Command('service')
    .description('Checks as code, and whether services are up, on the command line.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', '\nservice <command> --help says more, with examples.')
    .exitOverride()
    .configureOutput({
      writeOut: (said) => world.out.write(said),
      writeErr: (said) => world.err.write(said),
      getOutHelpWidth: () => world.out.columns,
      getErrHelpWidth: () => world.err.columns,
      getOutHasColors: () => world.out.hasColours,
      getErrHasColors: () => world.err.hasColours,
    })
  for (const spec of commands)
    program.addCommand(toCommand(spec, world, end).copyInheritedSettings(program))
  return program
}

const toCommand = (spec: CommandSpec, world: World, end: (exitCode: ExitCode) => void): Command => {
  const command = new Command(spec.name)
    .summary(spec.summary)
    .description([`${spec.summary}.`, ...(spec.details ?? [])].join('\n\n'))
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', examplesOf(spec))
  for (const { name, description } of spec.positional) command.argument(name, description)
  const made = Object.entries(spec.options).map(([key, option]) => {
    const parsed = toOption(option)
    command.addOption(parsed)
    return { key, option, parsed }
  })
  return command.action(async () => {
    const given: Record<string, unknown> = command.opts()
    const values = Object.fromEntries(
      made.map(({ key, option, parsed }) => {
        const value = given[parsed.attributeName()]
        return [key, option.kind === 'text' ? value : value === !parsed.negate]
      }),
    )
    const act = await spec.load()
    const seen = values['noColor'] === true ? withoutColours(world) : world
    // commander has checked the values against the same table
    end(await act(seen, values as never, command.args))
  })
}

const toOption = (spec: OptionSpec): Option => {
  const option = new Option(spec.flags, spec.description)
  if (spec.kind === 'flag') return option
  option.makeOptionMandatory(spec.isRequired)
  return spec.choices === undefined ? option : option.choices(spec.choices)
}

const examplesOf = ({ examples }: CommandSpec): string =>
  ['', 'Examples:', ...examples.flatMap(([line, effect]) => [`  ${line}`, `      ${effect}`])].join(
    '\n',
  )

const withoutColours = (world: World): World => ({
  ...world,
  out: plain(world.out),
  err: plain(world.err),
})

const plain = (output: Output): Output => ({
  write: (said) => output.write(said),
  isTerminal: output.isTerminal,
  hasColours: false,
  get columns() {
    return output.columns
  },
})
