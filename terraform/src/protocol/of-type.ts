import { elementType } from './equal.ts'
import type { Type } from './type.ts'
import { isObject } from './value.ts'
import type { Value } from './value.ts'

/** Whether a wholly known value can be written as one of the type; an attribute that is absent is null. */
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
