import { errorAt, type Diagnostic } from '../diagnostic.ts'
import type { Attribute, Schema } from '../schema.ts'
import { isWhollyKnown, type ObjectValue, type Value } from '../value.ts'

/** Values for write-only attributes, where this Terraform would store them. */
export const refuseWriteOnly = ({ attributes }: Schema, config: ObjectValue): Diagnostic[] =>
  Object.entries(attributes).flatMap(([name, { isWriteOnly }]) =>
    isWriteOnly === true && (config[name] ?? null) !== null
      ? [
          errorAt(
            [name],
            'Terraform is too old for this attribute',
            `${name}: write-only attributes need Terraform 1.11 or newer.`,
          ),
        ]
      : [],
  )

/**
 * All problems of a configuration, in the order of its schema. Runs several times, before defaults are set
 * and with unknown values, which are never a problem.
 * @param rule between attributes
 */
export const validateConfig = async (
  { attributes }: Schema,
  config: ObjectValue,
  rule?: (config: ObjectValue) => Diagnostic[] | Promise<Diagnostic[]>,
): Promise<Diagnostic[]> => [
  ...Object.entries(attributes).flatMap(([name, attribute]) =>
    validateAttribute(name, attribute, config[name] ?? null),
  ),
  ...((await rule?.(config)) ?? []),
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
