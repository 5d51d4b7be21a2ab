import { z } from 'zod'

/** Schemas that the OpenAPI document defines once, under these names. Tools of the gateway print them in place. */
export const components = z.registry<{ id: string }>()

/**
 * A field with its words for the OpenAPI document and the tools of the gateway.
 * @param examples at most one
 */
export const field = <T extends z.ZodType>(schema: T, description: string, ...examples: [unknown?]): T =>
  schema.meta(examples.length === 0 ? { description } : { description, examples })

/** The words of a field, which zod leaves out where the input is transformed. */
export const wordsOf = (schema: z.core.$ZodType): Readonly<z.core.GlobalMeta> =>
  z.globalRegistry.get(schema) ?? {}
