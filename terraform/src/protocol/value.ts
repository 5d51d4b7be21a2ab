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
