import { z } from 'zod'

/**
 * Whether a value has the required fields of a schema, whatever is in them: enough to tell an answer of the API,
 * also of a newer one, from that of another server.
 */
export const hasShape = (schema: z.core.$ZodType, value: unknown): boolean => {
  if (schema instanceof z.ZodNullable) return value === null || hasShape(schema.unwrap(), value)
  if (schema instanceof z.ZodUnion) return schema.options.some((option) => hasShape(option, value))
  if (!(schema instanceof z.ZodObject)) return true
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(schema.shape).every(
      ([name, field]) => name in value || z.safeParse(field, undefined).success,
    )
  )
}
