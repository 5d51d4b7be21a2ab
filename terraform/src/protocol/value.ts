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

/** What Terraform will know only while it applies. Whatever it says of such a value is not kept. */
export const unknown: unique symbol = Symbol('unknown')

/**
 * A value of Terraform's language. Lists, sets and tuples are arrays; maps and objects have no
 * prototype, so that `__proto__` is a key like another. A whole number beyond 2^53 is a bigint.
 */
export type Value =
  | null
  | boolean
  | string
  | number
  | bigint
  | typeof unknown
  | readonly Value[]
  | ObjectValue
export type ObjectValue = { readonly [name: string]: Value }

export const isObject = (value: Value): value is ObjectValue =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether nothing in a value is unknown. */
export const isWhollyKnown = (value: Value): boolean => {
  if (value === unknown) return false
  if (Array.isArray(value)) return value.every(isWhollyKnown)
  return isObject(value) ? Object.values(value).every(isWhollyKnown) : true
}

/** An object that takes any key. */
export const toObject = (entries: Iterable<readonly [string, Value]>): ObjectValue => {
  const made: Record<string, Value> = Object.create(null)
  for (const [name, value] of entries) made[name] = value
  return made
}

/**
 * Whether two values of a type are the same to Terraform: a set has no order, and a number is the
 * same as a bigint. Unknown is the same as unknown, and as nothing else.
 */
export const isEqual = (type: Type, one: Value, other: Value): boolean =>
  one === other || textOf(type, one) === textOf(type, other)

/** A value as text; the same values, and only they, make the same. */
const textOf = (type: Type, value: Value): string => {
  if (value === null) return 'null'
  if (value === unknown) return '?'
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') return Number.isInteger(value) ? `${BigInt(value)}` : `${value}`
  if (isObject(value)) return `{${fieldsOf(type, value).join()}}`
  if (typeof value !== 'object') return `${value}`
  const elements = value.map((element, index) => textOf(elementType(type, index), element))
  return `[${(isSet(type) ? elements.toSorted() : elements).join()}]`
}

/** An object's by its type, so that an attribute that is absent is null; a map's as they are. */
const fieldsOf = (type: Type, value: ObjectValue): string[] => {
  const isOfType = Array.isArray(type) && type[0] === 'object'
  const names = Object.keys(isOfType ? type[1] : value).toSorted()
  return names.map(
    (name) => `${JSON.stringify(name)}:${textOf(elementType(type, name), value[name] ?? null)}`,
  )
}

export const isSet = (type: Type): boolean => Array.isArray(type) && type[0] === 'set'

/** The type of what is in a value of a type, at an index or under a name. */
export const elementType = (type: Type, at: string | number): Type => {
  if (typeof type === 'string') return 'dynamic'
  if (type[0] === 'tuple') return type[1][Number(at)] ?? 'dynamic'
  return type[0] === 'object' ? (type[1][at] ?? 'dynamic') : type[1]
}
