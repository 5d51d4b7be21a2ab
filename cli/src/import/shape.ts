import { z } from 'zod'

/** Values in configurations; null and absent both mean not set. */

/** Text; an unquoted number or boolean becomes its text. */
export const text = z
  .union([z.string(), z.number(), z.boolean()], 'must be text')
  .nullish()
  .transform((value) => (value === undefined || value === null ? '' : String(value)))

const spellings = new Map<unknown, boolean>([
  ...[true, 1, '1', 'true', 'yes', 'on'].map((value) => [value, true] as const),
  ...[false, 0, '0', 'false', 'no', 'off'].map((value) => [value, false] as const),
])

/** A boolean in the spellings of YAML 1.1 and databases. @returns null if it is not set */
export const flag = z
  .unknown()
  .optional()
  .refine(
    (value) => value === undefined || value === null || spellings.has(lowered(value)),
    'must be true or false',
  )
  .transform((value) => spellings.get(lowered(value)) ?? null)

const lowered = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value)

/** A number that is at least 0, or null. */
export const amount = z
  .number('must be a number')
  .min(0, 'must not be below 0')
  .nullish()
  .transform((value) => value ?? null)

export type Fields = Record<string, unknown>

export const isMap = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value is set: empty texts, lists and maps are not. */
export const isSet = (value: unknown): boolean => {
  if (value === undefined || value === null || value === '' || value === false) return false
  if (Array.isArray(value)) return value.length > 0
  return !isMap(value) || Object.keys(value).length > 0
}

/** Parses a value by a schema, and names problems by their path in the source. */
export const shaped = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  at: string,
): { ok: true; value: z.output<Schema> } | { ok: false; problems: string[] } => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return { ok: true, value: parsed.data }
  const problems = parsed.error.issues.map(({ path, message }) => {
    const place = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')
    return `${at}${place}: ${message}`
  })
  return { ok: false, problems }
}
