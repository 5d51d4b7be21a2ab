import { errorAt, type Diagnostic, type Path } from '../protocol/diagnostic.ts'
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

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const isUuid = (text: string): boolean => uuid.test(text)

export const anId: Rule = (value, path) =>
  typeof value === 'string' && isUuid(value) ? [] : invalid(path, 'must be an id (a UUID)')
