import { z } from 'zod'

/**
 * Whether a value has at least half of the required fields of a schema, whatever is in them: enough to tell an
 * answer of the API from that of another server. An older API has fewer fields, and a newer one more.
 */
export const hasShape = (schema: z.core.$ZodType, value: unknown): boolean => {
  if (schema instanceof z.ZodNullable) return value === null || hasShape(schema.unwrap(), value)
  if (schema instanceof z.ZodUnion) return schema.options.some((option) => hasShape(option, value))
  if (!(schema instanceof z.ZodObject)) return true
  if (typeof value !== 'object' || value === null) return false
  const required = Object.entries(schema.shape).filter(([, field]) => !z.safeParse(field, undefined).success)
  return required.filter(([name]) => name in value).length >= required.length / 2
}
