import { errorAt } from '../diagnostic.ts'
import type { Diagnostic } from '../diagnostic.ts'
import type { Attribute, Schema } from '../schema.ts'
import { isWhollyKnown } from '../value.ts'
import type { ObjectValue, Value } from '../value.ts'

/**
 * All problems of a configuration, in the order of its schema. It is asked several times, at first
 * with much that is unknown, and before defaults are in place: what is not known yet is no problem.
 * @param rule what the attributes alone cannot say
 */
export const validateConfig = (
  { attributes }: Schema,
  config: ObjectValue,
  rule?: (config: ObjectValue) => Diagnostic[],
): Diagnostic[] => [
  ...Object.entries(attributes).flatMap(([name, attribute]) =>
    validateAttribute(name, attribute, config[name] ?? null),
  ),
  ...(rule?.(config) ?? []),
]

const validateAttribute = (
  name: string,
  { presence, validate }: Attribute,
  value: Value,
): Diagnostic[] => {
  if (value === null) {
    if (presence !== 'required') return []
    return [errorAt([name], 'Missing attribute', `\`${name}\` is required.`)]
  }
  if (presence === 'computed') {
    return [errorAt([name], 'Read-only attribute', `\`${name}\` is the service's: remove it.`)]
  }
  return isWhollyKnown(value) ? (validate?.(value, [name]) ?? []) : []
}
