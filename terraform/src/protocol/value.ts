/**
 * A type of Terraform's language, in its JSON form, which schemas send. The type of a `dynamic` value travels
 * with the value.
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

/** A value that is known only after apply. What Terraform says about such a value is ignored. */
export const unknown: unique symbol = Symbol('unknown')

/**
 * A value of Terraform's language. Lists, sets and tuples are arrays; maps and objects have no
 * prototype, so that `__proto__` is an ordinary key. A whole number beyond 2^53 is a bigint.
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
 * Whether Terraform sees two values of a type as equal: sets have no order, and a number equals the bigint of
 * the same value. Unknown equals only unknown.
 */
export const isEqual = (type: Type, one: Value, other: Value): boolean =>
  one === other || textOf(type, one) === textOf(type, other)

/** A value as text; two texts are the same exactly when the values are equal. */
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

/** The fields of an object by its type, a missing attribute as null; the entries of a map as they are. */
const fieldsOf = (type: Type, value: ObjectValue): string[] => {
  const isOfType = Array.isArray(type) && type[0] === 'object'
  const names = Object.keys(isOfType ? type[1] : value).toSorted()
  return names.map(
    (name) => `${JSON.stringify(name)}:${textOf(elementType(type, name), value[name] ?? null)}`,
  )
}

export const isSet = (type: Type): boolean => Array.isArray(type) && type[0] === 'set'

/** The type of an element of a value, at an index or a name. */
export const elementType = (type: Type, at: string | number): Type => {
  if (typeof type === 'string') return 'dynamic'
  if (type[0] === 'tuple') return type[1][Number(at)] ?? 'dynamic'
  return type[0] === 'object' ? (type[1][at] ?? 'dynamic') : type[1]
}
