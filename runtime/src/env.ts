import { markdownTable } from './tables.ts'
import { helpRows } from './help-rows.ts'
import type { Settings, ValuesOf } from './setting.ts'

/** The environment variables of a process, by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * A rule over several variables. `textOf` gives null for an unset one. @returns problems with variable names
 */
export type Rule = (textOf: (name: string) => string | null) => readonly string[]

/**
 * Reads the settings of a program from its environment. An empty variable counts as not set.
 * @param rules for variables that depend on one another
 * @returns all problems at once, each starts with the name of its variable
 */
export const readEnvironment = <S extends Settings>(
  settings: S,
  environment: Environment,
  rules: readonly Rule[] = [],
): { ok: true; values: ValuesOf<S> } | { ok: false; problems: string[] } => {
  const textOf = (name: string): string | null => environment[name]?.trim() || null
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(settings)) {
    const read = setting.read(textOf(name))
    if (read.ok) values[name] = read.value
    else problems.push(...read.problems.map((problem) => `${name} ${problem}`))
  }
  for (const rule of rules) problems.push(...rule(textOf))
  return problems.length > 0 ? { ok: false, problems } : { ok: true, values: values as ValuesOf<S> }
}

/** Requires both variables or neither. */
export const together =
  (one: string, other: string): Rule =>
  (textOf) => [...needs(one, other)(textOf), ...needs(other, one)(textOf)]

/** Requires `other` when `one` is set. */
export const needs =
  (one: string, other: string): Rule =>
  (isSet) =>
    isSet(one) && !isSet(other) ? [`${other} is required when ${one} is set`] : []

/** Variables with a credential. `NAME_FILE` may name a file that contains it. */
export const secretsOf = (settings: Settings): string[] =>
  Object.entries(settings).flatMap(([name, { isSecret }]) => (isSecret ? [name] : []))

/** The variables as lines of a help text. */
export const environmentHelp = (settings: Settings): string =>
  helpRows(
    Object.entries(settings).map(([name, { meaning, absent }]) => [
      name,
      `${meaning} (${absent ?? 'required'})`.replaceAll('`', ''),
    ]),
  )

/** The variables as a Markdown table: name, default, form and unit, meaning. */
export const environmentTable = (settings: Settings): string =>
  markdownTable([
    ['Variable', 'Default', 'Value', 'Unit', 'Meaning'],
    ...Object.entries(settings).map(([name, { absent, kind, meaning, isSecret }]) => [
      `\`${name}\``,
      absent ?? 'required',
      kind.form,
      kind.unit ?? '',
      `${meaning}${isSecret ? ' Secret.' : ''}`,
    ]),
  ])
