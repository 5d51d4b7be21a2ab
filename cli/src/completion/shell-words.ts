import { oneLine } from '@probe-mesh/runtime/one-line'
import type { ArgumentSpec, CommandSpec, Completes, OptionSpec } from '../command-line/command-spec.ts'

/** Possible values: a file, a word of a list, or unknown text. */
export type Choice = 'file' | 'text' | readonly string[]

export type ShellOption = {
  /** As typed: `-f` and `--file`. */
  names: readonly string[]
  description: string
  /** null: it takes no value. */
  value: { name: string; choice: Choice } | null
}

export type ShellArgument = {
  name: string
  description: string
  choice: Choice
  isRepeated: boolean
}

/** A command as shells complete it. */
export type ShellCommand = {
  name: string
  summary: string
  options: readonly ShellOption[]
  positionals: readonly ShellArgument[]
}

/** Everything to complete: the options before a command, and every command. */
export type ShellWords = { options: readonly ShellOption[]; commands: readonly ShellCommand[] }

/** The executable and its alias. */
export const executables = ['service', 'probe-mesh'] as const

const help: ShellOption = {
  names: ['-h', '--help'],
  description: 'print this help',
  value: null,
}

/**
 * The words of a command line, from the table that parses it.
 * @throws for a word that would need quotes, because shells insert completions unquoted
 */
export const shellWords = (specs: readonly CommandSpec[]): ShellWords => {
  const commands = specs.map(toCommand)
  return {
    options: [help, { names: ['-V', '--version'], description: 'print the version', value: null }],
    commands: [
      ...commands,
      {
        name: 'help',
        summary: 'Print the help of a command',
        options: [help],
        positionals: [
          {
            name: 'command',
            description: 'the command',
            choice: commands.map(({ name }) => name),
            isRepeated: false,
          },
        ],
      },
    ],
  }
}

const toCommand = (spec: CommandSpec): ShellCommand => ({
  name: plain(spec.name),
  summary: oneLine(spec.summary),
  options: [...Object.values(spec.options).map(toOption), help],
  positionals: spec.positional.map(toArgument),
})

const toOption = (spec: OptionSpec): ShellOption => {
  const names = spec.flags.split(/[ ,|]+/).filter((part) => part.startsWith('-'))
  const value = /[<[]([^<>[\]]+)[\]>]/.exec(spec.flags)?.[1] ?? 'value'
  return {
    names: names.map(plain),
    description: oneLine(spec.description),
    value:
      spec.kind === 'flag'
        ? null
        : { name: oneLine(value), choice: toChoice(spec.choices ?? spec.completes) },
  }
}

const toArgument = ({ name, description, completes }: ArgumentSpec): ShellArgument => ({
  name: oneLine(name.replaceAll(/^[<[]|\.{3}|[\]>]$/g, '')),
  description: oneLine(description),
  choice: toChoice(completes),
  isRepeated: name.includes('...'),
})

const toChoice = (completes: Completes | undefined): Choice => {
  if (completes === undefined) return 'text'
  return completes === 'file' ? completes : completes.map(plain)
}

const plain = (word: string): string => {
  if (/^[\w.@%+/-]+$/.test(word)) return word
  throw new Error(`${JSON.stringify(word)} would need quotes on a command line`)
}
