import { Command, CommanderError, Option } from 'commander'
import type { Context, ExitCode, Output } from '../terminal/context.ts'
import type { CommandSpec, OptionSpec } from './command-spec.ts'
import { called, program } from '../terminal/program.ts'
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
  const root = createProgram(commands, context, (code) => {
    exitCode = code
  })
  try {
    await root.parseAsync(argv, { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const meant = systemServiceOf(argv)
    if (error.exitCode !== 0 && meant !== null) context.err.write(meant)
    return error.exitCode === 0 ? 0 : 1
  }
}

const systemVerbs = new Set([
  'start',
  'stop',
  'restart',
  'reload',
  'force-reload',
  'status',
  'enable',
  'disable',
])

/** On servers, `service nginx restart` may have been meant for the system's command of that name. */
const systemServiceOf = (argv: readonly string[]): string | null => {
  const [name = '', verb = ''] = argv
  if (name !== '--status-all' && !systemVerbs.has(verb)) return null
  const plain = argv.filter((word) => /^[\w@.:-]+$/.test(word)).join(' ')
  return `This is the command line of Probe Mesh. For a service of this machine: /usr/sbin/service ${plain}\n`
}

/** @param end receives the exit code of a command */
const createProgram = (
  commands: readonly CommandSpec[],
  context: Context,
  end: (exitCode: ExitCode) => void,
): Command => {
  const root = new Command(program)
    .description('Manage checks as code and see whether services are up.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', called('\nRun probe-mesh <command> --help for options and examples.'))
    .exitOverride()
    .configureOutput({
      writeOut: (written) => context.out.write(written),
      writeErr: (written) => context.err.write(written),
      getOutHelpWidth: () => context.out.columns,
      getErrHelpWidth: () => context.err.columns,
      getOutHasColors: () => context.out.hasColours,
      getErrHasColors: () => context.err.hasColours,
    })
  for (const spec of commands) root.addCommand(toCommand(spec, context, end).copyInheritedSettings(root))
  return root
}

const toCommand = (spec: CommandSpec, context: Context, end: (exitCode: ExitCode) => void): Command => {
  const command = new Command(spec.name)
    .summary(spec.summary)
    .description(called([`${spec.summary}.`, ...(spec.details ?? [])].join('\n\n')))
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
  ['', 'Examples:', ...examples.flatMap(([line, effect]) => [`  ${called(line)}`, `      ${effect}`])].join(
    '\n',
  )

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
