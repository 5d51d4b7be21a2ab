import { errorAt } from '../protocol/diagnostic.ts'
import type { Diagnostic, Path } from '../protocol/diagnostic.ts'
import type { Value } from '../protocol/value.ts'

type Rule = (value: Value, path: Path) => Diagnostic[]

const invalid = (path: Path, message: string): Diagnostic[] => [
  errorAt(path, 'Invalid value', `${String(path.at(0))}: ${message}`),
]

/** One of the words. */
export const oneOf =
  (words: readonly string[]): Rule =>
  (value, path) =>
    typeof value === 'string' && words.includes(value)
      ? []
      : invalid(path, `must be one of ${words.join(', ')}`)

/** A whole number within bounds. */
export const wholeNumber =
  (min: number, max: number): Rule =>
  (value, path) =>
    Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
      ? []
      : invalid(path, `must be a whole number from ${min} to ${max}`)

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const isUuid = (text: string): boolean => uuid.test(text)

export const anId: Rule = (value, path) =>
  typeof value === 'string' && isUuid(value) ? [] : invalid(path, 'must be an id (a UUID)')

/** At least one region code. */
export const someRegions: Rule = (value, path) => {
  const codes: readonly Value[] = Array.isArray(value) ? value : []
  if (codes.length === 0) {
    return invalid(path, 'must have at least one region; leave it out to use every live region')
  }
  const isCode = (code: Value): boolean => typeof code === 'string' && /^[a-z]{3}$/.test(code)
  return codes.every(isCode) ? [] : invalid(path, 'each region must be three lower-case letters, such as fra')
}
