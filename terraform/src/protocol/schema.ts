import type { Diagnostic, Path } from './diagnostic.ts'
import { objectOf } from './value.ts'
import type { Type, Value } from './value.ts'

/**
 * Whose an attribute's value is: the configuration's (`required`, `optional`), the service's
 * (`computed`), or the service's where the configuration says nothing (`optional_computed`).
 */
type Presence = 'required' | 'optional' | 'computed' | 'optional_computed'

export type Attribute = {
  type: Type
  presence: Presence
  /** Markdown; the reference in `docs/` prints it. */
  description: string
  isSensitive?: boolean
  /** Where the configuration says nothing. Only of `optional_computed`. */
  default?: Value
  /** A change of it that the configuration asks for is another object. */
  replaces?: boolean
  /** The service never changes it on an update: it stays known then. Only of what is computed. */
  keeps?: boolean
  /** Problems of a value that is wholly known and not null. @param path of the attribute */
  validate?(value: Value, path: Path): Diagnostic[]
}

/** Attributes only: blocks are for what cannot be one. */
export type Schema = {
  /** Raised when what is stored of an older one has to be upgraded; never reused. */
  version: number
  description: string
  attributes: Readonly<Record<string, Attribute>>
}

/** Made once of each schema: every value that comes or goes is read by it. */
const types = new WeakMap<Schema, Type>()

/** The type of an object of a schema. */
export const typeOf = (schema: Schema): Type => {
  const known = types.get(schema)
  if (known !== undefined) return known
  const attributes = Object.entries(schema.attributes)
  const type = objectOf(Object.fromEntries(attributes.map(([name, of]) => [name, of.type])))
  types.set(schema, type)
  return type
}
