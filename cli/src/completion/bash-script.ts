import { quotePosix } from './quote.ts'
import { executables, type Choice, type ShellCommand, type ShellWords } from './shell-words.ts'

/**
 * Completion for bash 3.2 and newer, which macOS has, without the package bash-completion. It
 * starts no process at a TAB. `compopt` came with bash 4: with it readline completes files itself.
 */
export const bashScript = ({ options, commands }: ShellWords): string => `\
# Completion of ${executables.join(' and ')} for bash, printed by \`probe-mesh completion bash\`.
_service_completion() {
  local IFS=$' \\t\\n' command='' kind='' words='' place=0 literal='' index word current
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ -n $kind ]]; then
      # bash parts --file=a at the equals sign
      [[ $word == '=' ]] || kind=''
    elif [[ $word == '>' || $word == '>>' || $word == '<' ]]; then
      kind=file
    elif [[ -z $literal && $word == -- ]]; then
      literal=1
    elif [[ -z $literal && $word == -* ]]; then
      case "$command $word" in
${commands.flatMap(optionCases).join('\n')}
      esac
    elif [[ -z $command ]]; then
      command=$word
    else
      place=$((place + 1))
    fi
  done
  current=\${COMP_WORDS[COMP_CWORD]}
  [[ -n $kind && $current == '=' ]] && current=''
  if [[ -z $kind && $current == -* && -z $literal ]]; then
    kind=options
  elif [[ -z $kind && -z $command ]]; then
    kind=words words=${quotePosix(commands.map(({ name }) => name).join(' '))}
  elif [[ -z $kind ]]; then
    case "$command $place" in
${commands.flatMap(argumentCases).join('\n')}
      *) [[ -n $literal ]] || kind=options ;;
    esac
  fi
  if [[ $kind == options ]]; then
    kind=words
    case $command in
      '') words=${quotePosix(options.flatMap(({ names }) => names).join(' '))} ;;
${commands.map(optionWords).join('\n')}
    esac
  fi
  if [[ $kind == words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [[ $kind == file ]] && type compopt >/dev/null 2>&1; then
    compopt -o default
  elif [[ $kind == file ]]; then
    while IFS= read -r word; do
      [[ -n $word ]] && COMPREPLY+=("$word")
    done <<<"$(compgen -f -- "$current")"
  fi
  return 0
}
if type compopt >/dev/null 2>&1; then
  complete -F _service_completion ${executables.join(' ')}
else
  complete -o filenames -F _service_completion ${executables.join(' ')}
fi
`

const optionCases = ({ name, options }: ShellCommand): string[] =>
  options.flatMap(({ names, value }) => {
    if (value === null) return []
    const patterns = names.map((option) => quotePosix(`${name} ${option}`)).join(' | ')
    return [`        ${patterns}) ${kindOf(value.choice)} ;;`]
  })

const argumentCases = ({ name, positionals }: ShellCommand): string[] =>
  positionals.map(
    ({ choice, isRepeated }, index) =>
      `      ${quotePosix(isRepeated ? `${name} ` : `${name} ${index}`)}${isRepeated ? '*' : ''}) ${kindOf(choice)} ;;`,
  )

const kindOf = (choice: Choice): string =>
  typeof choice === 'string' ? `kind=${choice}` : `kind=words words=${quotePosix(choice.join(' '))}`

const optionWords = ({ name, options }: ShellCommand): string =>
  `      ${name}) words=${quotePosix(options.flatMap(({ names }) => names).join(' '))} ;;`
