import { escapeBrackets, escapeColons, quotePosix } from './quote.ts'
import {
  executables,
  type Choice,
  type ShellCommand,
  type ShellOption,
  type ShellArgument,
  type ShellWords,
} from './shell-words.ts'

/** Completion for zsh, as a file `_service` of `fpath` or sourced by `.zshrc` after `compinit`. */
export const zshScript = ({ options, commands }: ShellWords): string => `\
#compdef ${executables.join(' ')}
# Completion of ${executables.join(' and ')} for zsh, printed by \`probe-mesh completion zsh\`.
_service() {
  local curcontext=$curcontext context state state_descr line
  local -A opt_args
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${quotePosix(`${name}:${escapeColons(summary)}`)}`).join('\n')}
  )
  _arguments -C -S \\
${options.map((option) => `    ${optionSpec(option)} \\`).join('\n')}
    '1:command:->command' \\
    '*::argument:->argument'
  case $state in
    command) _describe -t commands command commands ;;
    argument)
      case $line[1] in
${commands.map(commandCase).join('\n')}
      esac
      ;;
  esac
}
if [[ $funcstack[1] == _service ]]; then
  _service "$@"
else
  compdef _service ${executables.join(' ')}
fi
`

const commandCase = ({ name, options, positionals }: ShellCommand): string =>
  [
    `        ${name})`,
    '          _arguments -S \\',
    [...options.map(optionSpec), ...positionals.map(argumentSpec)]
      .map((spec) => `            ${spec}`)
      .join(' \\\n'),
    '          ;;',
  ].join('\n')

/** One spec per name: `-f+` and `--file=` take their value in the same word or the next. */
const optionSpec = ({ names, description, value }: ShellOption): string => {
  const excluded = quotePosix(value === null && isLast(names) ? '(- *)' : `(${names.join(' ')})`)
  const ending = value === null ? '' : `:${escapeColons(value.name)}:${actionOf(value.choice)}`
  const suffix = quotePosix(`[${escapeBrackets(description)}]${ending}`)
  const typed = names.map((name) => {
    if (value === null) return name
    return name.startsWith('--') ? `${name}=` : `${name}+`
  })
  return typed.length === 1
    ? `${excluded}${typed.join('')}${suffix}`
    : `${excluded}{${typed.join(',')}}${suffix}`
}

/** Help and version end the command line. */
const isLast = (names: readonly string[]): boolean => names.includes('--help') || names.includes('--version')

const argumentSpec = ({ name, choice, isRepeated }: ShellArgument, index: number): string =>
  quotePosix(`${isRepeated ? '*' : index + 1}:${escapeColons(name)}:${actionOf(choice)}`)

const actionOf = (choice: Choice): string => {
  if (choice === 'file') return '_files'
  return choice === 'text' ? ' ' : `(${choice.join(' ')})`
}
