import { errorAt } from '../diagnostic.ts'
import type { Diagnostic } from '../diagnostic.ts'
import type { Attribute, Schema } from '../schema.ts'
import { isWhollyKnown } from '../value.ts'
import type { ObjectValue, Value } from '../value.ts'

/**
 * All problems of a configuration, in the order of its schema. Runs several times, before defaults are set
 * and with unknown values, which are never a problem.
 * @param rule between attributes
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

const validateAttribute = (name: string, { presence, validate }: Attribute, value: Value): Diagnostic[] => {
  if (value === null) {
    if (presence !== 'required') return []
    return [errorAt([name], 'Missing attribute', `\`${name}\` is required.`)]
  }
  if (presence === 'computed') {
    return [errorAt([name], 'Read-only attribute', `\`${name}\` is set by the service: remove it.`)]
  }
  return isWhollyKnown(value) ? (validate?.(value, [name]) ?? []) : []
}
