import type { Diagnostic, Path } from './diagnostic.ts'
import { objectOf, type Type, type Value } from './value.ts'

/**
 * Where an attribute's value comes from: the configuration (`required`, `optional`), the service
 * (`computed`), or the service when the configuration leaves it out (`optional_computed`).
 */
type Presence = 'required' | 'optional' | 'computed' | 'optional_computed'

export type Attribute = {
  type: Type
  presence: Presence
  /** Markdown, printed in the reference. */
  description: string
  isSensitive?: boolean
  /** Known in the configuration only, from Terraform 1.11 on: plans and states have null. Not for sets. */
  isWriteOnly?: boolean
  /** When the configuration leaves it out. Only for `optional_computed`. */
  default?: Value
  /** A configured change of it replaces the object. */
  replaces?: boolean
  /** The service never changes it on an update, so that it stays known. Only for computed attributes. */
  keeps?: boolean
  /** Problems of a known value that is not null. @param path of the attribute */
  validate?(value: Value, path: Path): Diagnostic[]
}

/** Attributes only, no blocks. */
export type Schema = {
  /** Raised when stored states must be upgraded; never reused. */
  version: number
  description: string
  attributes: Readonly<Record<string, Attribute>>
}

/** Cached by schema, since every value is read and written by its type. */
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
