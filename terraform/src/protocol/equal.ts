import type { Type } from './type.ts'
import { isObject, unknown } from './value.ts'
import type { ObjectValue, Value } from './value.ts'

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
