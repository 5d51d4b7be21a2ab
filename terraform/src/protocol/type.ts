/**
 * A type of Terraform's language, in the form of its JSON: a schema sends it as these bytes.
 * `dynamic` is a value whose type comes with it.
 */
export type Type =
  | 'string'
  | 'number'
  | 'bool'
  | 'dynamic'
  | readonly ['list' | 'set' | 'map', Type]
  | readonly ['tuple', readonly Type[]]
  | readonly ['object', Readonly<Record<string, Type>>]

export const listOf = (element: Type): Type => ['list', element]
export const setOf = (element: Type): Type => ['set', element]
export const mapOf = (element: Type): Type => ['map', element]
export const objectOf = (attributes: Readonly<Record<string, Type>>): Type => ['object', attributes]
