import type { Context, ExitCode } from '../terminal/context.ts'

/** Possible values for completion: files, or words of a list. */
export type Completes = 'file' | readonly string[]

type Shown = {
  /** As commander reads them, such as `-f, --file <file>`. */
  flags: string
  description: string
}
type FlagSpec = Shown & { kind: 'flag' }
type TextSpec = Shown & {
  kind: 'text'
  isRequired: boolean
  choices?: readonly string[]
  completes?: Completes
}
export type OptionSpec = FlagSpec | TextSpec
type OptionSpecs = Readonly<Record<string, OptionSpec>>

type ValueOf<S> = S extends FlagSpec ? boolean : S extends { isRequired: true } ? string : string | undefined
type ValuesOf<O extends OptionSpecs> = { [K in keyof O]: ValueOf<O[K]> }

export type ArgumentSpec = {
  /** In `<>` if required, in `[]` if optional. */
  name: string
  description: string
  completes?: Completes
}

/** Runs a command, and returns its exit code. */
export type Action<V> = (context: Context, options: V, given: readonly string[]) => Promise<ExitCode>

/** One command: its parser, help, completion and `docs/cli.md` are generated from it. */
export type CommandSpec<O extends OptionSpecs = OptionSpecs> = {
  name: string
  /** Starts with a capital, without a full stop. */
  summary: string
  /** Paragraphs below the summary, in help and documents. */
  details?: readonly string[]
  positional: readonly ArgumentSpec[]
  /** By the name that the action reads; a flag `--no-…` is true if it is given. */
  options: O
  /** Each a command line and its effect. */
  examples: readonly (readonly [commandLine: string, effect: string])[]
  /** Loads the action of the command, and nothing before. */
  load(): Promise<Action<ValuesOf<O>>>
}

/** A command whose action receives its typed option values. */
export const defineCommand = <O extends OptionSpecs>(spec: CommandSpec<O>): CommandSpec =>
  spec as unknown as CommandSpec

export const flag = (flags: string, description: string): FlagSpec => ({
  kind: 'flag',
  flags,
  description,
})

type More = Pick<TextSpec, 'choices' | 'completes'>

export const text = (flags: string, description: string, more: More = {}) =>
  ({ kind: 'text', flags, description, isRequired: false, ...more }) as const

export const requiredText = (flags: string, description: string, more: More = {}) =>
  ({ kind: 'text', flags, description, isRequired: true, ...more }) as const

/** Options of every command. */
export const commonOptions = {
  json: flag('--json', 'print JSON'),
  noColor: flag('--no-color', 'disable colours, like NO_COLOR'),
}

/** Options of commands that call the API. */
export const apiOptions = {
  ...commonOptions,
  apiUrl: text(
    '--api-url <url>',
    'root URL of the API (default: SERVICE_API_URL, then http://127.0.0.1:8080/v1)',
  ),
}

/** Options of commands that need a key. */
export const keyOptions = {
  ...apiOptions,
  apiKey: text(
    '--api-key <key>',
    'API key, or - to read it from standard input (default: SERVICE_API_KEY; other users of this machine can see a key given here)',
  ),
}

export type CommonOptions = { json: boolean; noColor: boolean }
export type ApiOptions = CommonOptions & { apiUrl: string | undefined }
export type KeyOptions = ApiOptions & { apiKey: string | undefined }
