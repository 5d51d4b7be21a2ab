import { quoteFish } from './quote.ts'
import {
  executables,
  type Choice,
  type ShellCommand,
  type ShellOption,
  type ShellArgument,
  type ShellWords,
} from './shell-words.ts'

const [executable, ...aliases] = executables

/** Completion for fish 3.0 and newer. */
export const fishScript = ({ options, commands }: ShellWords): string => `\
# Completion of ${executables.join(' and ')} for fish, printed by \`probe-mesh completion fish\`.
function __service_at -d 'Whether the line has a command and at least a number of its arguments'
    set -l words (commandline -opc)
    set -e words[1]
    set -l given ''
    set -l count 0
    set -l is_value 0
    for word in $words
        if test $is_value = 1
            set is_value 0
            continue
        end
        switch "$given $word"
${valueCases(commands)}
            case '* -*'
            case '*'
                if test -z "$given"
                    set given $word
                else
                    set count (math $count + 1)
                end
        end
    end
    test "$given" = "$argv[1]"; or return 1
    set -q argv[2]; or return 0
    test $count = $argv[2]; and return 0
    set -q argv[3]; and test $count -gt $argv[2]
end
complete -c ${executable} -e
complete -c ${executable} -f
${[
  ...options.map((option) => optionLine('', option)),
  ...commands.map(({ name, summary }) => wordLine("''", name, summary)),
  ...commands.flatMap(commandLines),
  ...aliases.map((alias) => `complete -c ${alias} -w ${executable}`),
].join('\n')}
`

const valueCases = (commands: readonly ShellCommand[]): string => {
  const withValue = commands.flatMap(({ name, options }) =>
    options.flatMap(({ names, value }) =>
      value === null ? [] : names.map((option) => quoteFish(`${name} ${option}`)),
    ),
  )
  return withValue.length === 0
    ? ''
    : `            case ${withValue.join(' ')}\n                set is_value 1`
}

const commandLines = ({ name, options, positionals }: ShellCommand): string[] => [
  ...options.map((option) => optionLine(name, option)),
  ...positionals.flatMap((place, index) => argumentLine(name, place, index)),
]

const optionLine = (command: string, { names, description, value }: ShellOption): string =>
  [
    `complete -c ${executable} -n ${quoteFish(`__service_at ${command === '' ? "''" : command}`)}`,
    ...names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)),
    ...(value === null ? [] : [takes(value.choice)]),
    `-d ${quoteFish(description)}`,
  ].join(' ')

/** `-r`: a value follows; `-x`: a value that is not a file. */
const takes = (choice: Choice): string => {
  if (choice === 'file') return '-r -F'
  return choice === 'text' ? '-x' : `-x -a ${quoteFish(choice.join(' '))}`
}

const argumentLine = (
  command: string,
  { name, choice, isRepeated }: ShellArgument,
  index: number,
): string[] => {
  const at = `${command} ${index}${isRepeated ? ' more' : ''}`
  if (choice === 'text') return []
  if (choice !== 'file') return choice.map((word) => wordLine(at, word, name))
  return [`complete -c ${executable} -n ${quoteFish(`__service_at ${at}`)} -F`]
}

const wordLine = (at: string, word: string, description: string): string =>
  `complete -c ${executable} -n ${quoteFish(`__service_at ${at}`)} -a ${word} -d ${quoteFish(description)}`
