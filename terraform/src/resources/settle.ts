import type { Schema } from '../protocol/schema.ts'
import {
  isObject,
  isWhollyKnown,
  toObject,
  unknown,
  type ObjectValue,
  type Value,
} from '../protocol/value.ts'

/** The value of an attribute; null when the state does not have it. */
export const valueOf = (values: ObjectValue, name: string): Value => values[name] ?? null

/**
 * The state after a change: planned values exactly as written, and the service's values for the rest.
 */
export const settle = ({ attributes }: Schema, planned: ObjectValue, fromService: ObjectValue): ObjectValue =>
  toObject(
    Object.keys(attributes).map((name) => {
      const value = valueOf(planned, name)
      return [name, isWhollyKnown(value) ? value : valueOf(fromService, name)]
    }),
  )

/** Keeps an id as it was written: the API writes ids in lower case. */
export const asWritten = (written: Value, id: string): string =>
  typeof written === 'string' && written.toLowerCase() === id ? written : id

/** A known text. @throws a bug: the schema requires it, or a read has set it */
export const textOf = (values: ObjectValue, name: string): string => {
  const value = valueOf(values, name)
  if (typeof value !== 'string') throw new Error(`${name} must be known here`)
  return value
}

/** The value of an attribute in a request body: undefined when unknown, null when unset. */
export const bodyValue = (value: Value): unknown => {
  if (value === unknown) return undefined
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(bodyValue)
  if (typeof value !== 'object' || value === null) return value
  const told = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(told.map(([name, inner]) => [name, bodyValue(inner)]))
}

/** Whether two values are equal; the elements of a set have no order. */
export const isSame = (one: Value, other: Value, isSet = false): boolean => {
  if (Array.isArray(one) && Array.isArray(other)) {
    if (one.length !== other.length) return false
    if (isSet) return one.every((each) => other.some((its) => isSame(each, its)))
    return one.every((each, index) => isSame(each, other[index] ?? null))
  }
  if (!isObject(one) || !isObject(other)) return one === other
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(valueOf(one, name), valueOf(other, name)))
  )
}
