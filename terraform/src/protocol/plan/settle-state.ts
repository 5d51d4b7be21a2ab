import { bugAt, type Diagnostic } from '../diagnostic.ts'
import type { Attribute, Schema } from '../schema.ts'
import {
  elementType,
  isEqual,
  isSet,
  isObject,
  isWhollyKnown,
  toObject,
  unknown,
  type Type,
  type ObjectValue,
  type Value,
} from '../value.ts'

type Expected = {
  /** The planned object; unknown values promise nothing. null: nothing was planned. */
  promised: ObjectValue | null
  /** Replaces values that cannot be kept; null: they become null. */
  prior: ObjectValue | null
  /** Whether the call failed: then the plan is not enforced. */
  isFailed: boolean
}

/**
 * The state after a call, as Terraform accepts it: every attribute present, of its type and known, and every
 * planned value as planned. Violations are reported at their attribute.
 */
export const settleState = (
  { attributes }: Schema,
  answered: ObjectValue,
  { promised, prior, isFailed }: Expected,
): { state: ObjectValue; problems: Diagnostic[] } => {
  const problems: Diagnostic[] = []
  const settle = (name: string, { type, isWriteOnly }: Attribute): Value => {
    if (isWriteOnly === true) return null
    const value = answered[name] ?? null
    if (!isWhollyKnown(value)) {
      if (!isFailed) problems.push(bugAt([name], `\`${name}\` is unknown after apply.`))
      return prior?.[name] ?? null
    }
    if (!isOfType(type, value)) {
      problems.push(bugAt([name], `\`${name}\` does not have the type that its schema declares.`))
      return prior?.[name] ?? null
    }
    const isKept = promised === null || isAsPromised(type, promised[name] ?? null, value)
    if (!isKept && !isFailed) {
      problems.push(bugAt([name], `\`${name}\` differs from the plan.`))
    }
    return value
  }
  const state = toObject(Object.entries(attributes).map(([name, each]) => [name, settle(name, each)]))
  for (const name of Object.keys(answered)) {
    if (!Object.hasOwn(attributes, name)) {
      problems.push(bugAt([], `\`${name}\` is not an attribute of the schema.`))
    }
  }
  return { state, problems }
}

/** Whether a known value equals the planned one, where unknown matches anything. */
const isAsPromised = (type: Type, promised: Value, value: Value): boolean => {
  if (promised === unknown) return true
  if (isWhollyKnown(promised)) return isEqual(type, promised, value)
  // elements of a set cannot be matched when one is unknown
  if (isSet(type)) return Array.isArray(value)
  if (Array.isArray(promised)) {
    if (!Array.isArray(value) || value.length !== promised.length) return false
    return promised.every((each, at) => isAsPromised(elementType(type, at), each, value[at] ?? null))
  }
  if (!isObject(promised) || !isObject(value)) return false
  const isMap = Array.isArray(type) && type[0] === 'map'
  if (isMap && !hasSameKeys(promised, value)) return false
  return Object.keys(promised).every((name) =>
    isAsPromised(elementType(type, name), promised[name] ?? null, value[name] ?? null),
  )
}

const hasSameKeys = (one: ObjectValue, other: ObjectValue): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.keys(one).every((name) => Object.hasOwn(other, name))

/** Whether a wholly known value is of the type; a missing attribute is null. */
export const isOfType = (type: Type, value: Value): boolean => {
  if (value === null || type === 'dynamic') return true
  if (type === 'number') return typeof value === 'bigint' || Number.isFinite(value)
  if (type === 'string') return typeof value === 'string'
  if (type === 'bool') return typeof value === 'boolean'
  const [kind] = type
  if (kind === 'map' || kind === 'object') {
    if (!isObject(value)) return false
    const names = Object.keys(value)
    if (kind === 'object' && names.some((name) => !Object.hasOwn(type[1], name))) return false
    return names.every((name) => isOfType(elementType(type, name), value[name] ?? null))
  }
  if (!Array.isArray(value) || (kind === 'tuple' && value.length !== type[1].length)) return false
  return value.every((element, index) => isOfType(elementType(type, index), element))
}
