import { Command, CommanderError, Option } from 'commander'
import type { Context, ExitCode, Output } from '../terminal/context.ts'
import type { CommandSpec, OptionSpec } from './command-spec.ts'
import { version } from './version.ts'

/**
 * Parses a command line and runs it.
 * @param argv without the executable
 * @returns the exit code: 1 for an invalid command line, which is reported
 */
export const runCommandLine = async (
  commands: readonly CommandSpec[],
  context: Context,
  argv: readonly string[],
): Promise<ExitCode> => {
  let exitCode: ExitCode = 0
  const program = createProgram(commands, context, (code) => {
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

/** @param end receives the exit code of a command */
const createProgram = (
  commands: readonly CommandSpec[],
  context: Context,
  end: (exitCode: ExitCode) => void,
): Command => {
  const program = new Command('service')
    .description('Manage checks as code and see whether services are up.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', '\nRun service <command> --help for options and examples.')
    .exitOverride()
    .configureOutput({
      writeOut: (written) => context.out.write(written),
      writeErr: (written) => context.err.write(written),
      getOutHelpWidth: () => context.out.columns,
      getErrHelpWidth: () => context.err.columns,
      getOutHasColors: () => context.out.hasColours,
      getErrHasColors: () => context.err.hasColours,
    })
  for (const spec of commands)
    program.addCommand(toCommand(spec, context, end).copyInheritedSettings(program))
  return program
}

const toCommand = (spec: CommandSpec, context: Context, end: (exitCode: ExitCode) => void): Command => {
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
    const action = await spec.load()
    const adjusted = values['noColor'] === true ? withoutColours(context) : context
    // commander has checked the values against the same table
    end(await action(adjusted, values as never, command.args))
  })
}

const toOption = (spec: OptionSpec): Option => {
  const option = new Option(spec.flags, spec.description)
  if (spec.kind === 'flag') return option
  option.makeOptionMandatory(spec.isRequired)
  return spec.choices === undefined ? option : option.choices(spec.choices)
}

const examplesOf = ({ examples }: CommandSpec): string =>
  ['', 'Examples:', ...examples.flatMap(([line, effect]) => [`  ${line}`, `      ${effect}`])].join('\n')

const withoutColours = (context: Context): Context => ({
  ...context,
  out: plain(context.out),
  err: plain(context.err),
})

const plain = (output: Output): Output => ({
  write: (written) => output.write(written),
  isTerminal: output.isTerminal,
  hasColours: false,
  get columns() {
    return output.columns
  },
})
