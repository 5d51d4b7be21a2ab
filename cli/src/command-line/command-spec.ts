import type { ExitCode } from '../apply/exit-code.ts'
import type { World } from '../terminal/world.ts'

/** What can stand in a place, for completion: files, or words of a list. */
export type Completes = 'file' | readonly string[]

type Shown = {
  /** As commander reads them, such as `-f, --file <file>`. */
  flags: string
  description: string
}
export type FlagSpec = Shown & { kind: 'flag' }
export type TextSpec = Shown & {
  kind: 'text'
  isRequired: boolean
  choices?: readonly string[]
  completes?: Completes
}
export type OptionSpec = FlagSpec | TextSpec
export type OptionSpecs = Readonly<Record<string, OptionSpec>>

type ValueOf<S> = S extends FlagSpec
  ? boolean
  : S extends { isRequired: true }
    ? string
    : string | undefined
export type ValuesOf<O extends OptionSpecs> = { [K in keyof O]: ValueOf<O[K]> }

export type ArgumentSpec = {
  /** In `<>` where it is needed, in `[]` where not. */
  name: string
  description: string
  completes?: Completes
}

/** Carries a command out, and says how it ended. */
export type Act<V> = (world: World, options: V, given: readonly string[]) => Promise<ExitCode>

/** One command: parser, help, completion and `docs/cli.md` are made from it. */
export type CommandSpec<O extends OptionSpecs = OptionSpecs> = {
  name: string
  /** Begins with a capital, without a full stop. */
  summary: string
  /** Paragraphs below the summary, in help and documents. */
  details?: readonly string[]
  positional: readonly ArgumentSpec[]
  /** By the name that the act reads; a flag `--no-…` is true where it is given. */
  options: O
  /** Each a command line and what it does. */
  examples: readonly (readonly [commandLine: string, effect: string])[]
  /** Loads what the command needs, and nothing before. */
  load(): Promise<Act<ValuesOf<O>>>
}

/** A command whose act receives what its options say. */
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
