import { components as named, wordsOf } from '@probe-mesh/contracts/schema/field'
import { z } from 'zod'

export type Json = { [key: string]: unknown }

/** A JSON schema with its named parts moved to `components`. */
export const toSchema = (schema: z.ZodType, io: 'input' | 'output', components: Json): Json => {
  const {
    $schema: _,
    $defs = {},
    ...own
  } = asJson(
    z.toJSONSchema(schema, {
      io,
      metadata: named,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        // answers may gain fields; only input is closed
        if (io === 'output') delete jsonSchema.additionalProperties
        removeNoise(jsonSchema)
        Object.assign(jsonSchema, wordsOf(zodSchema))
      },
    }),
  )
  Object.assign(components, $defs)
  return own
}

/** Bounds that every integer of JavaScript has, and patterns that `format` implies. */
const removeNoise = (schema: z.core.JSONSchema.BaseSchema): void => {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.format === 'date-time' || schema.format === 'uuid') delete schema.pattern
}

/** Plain JSON with references to the named schemas of the document. */
const asJson = (value: unknown): Json =>
  JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'))
