import { plainProblem } from '@probe-mesh/contracts/schema/plain-problem'
import { formatPath } from '@probe-mesh/contracts/schema/refusal'
import type { z } from 'zod'
import { errorAt, type Diagnostic } from '../protocol/diagnostic.ts'
import type { Schema } from '../protocol/schema.ts'
import { unknown, type ObjectValue, type Value } from '../protocol/value.ts'
import { attributePath, snakeOf } from './failure-diagnostics.ts'
import { bodyValue, valueOf } from './settle.ts'

/** A broken rule of the API: the field as a path of the API, and its refusal. */
export type FieldRefusal = { parts: readonly PropertyKey[]; message: string; code: string }

/** The fields that a configuration names, as the API receives them; null and unknown values are left out. */
export const configuredFields = (
  config: ObjectValue,
  fields: Readonly<Record<string, string>>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const value = bodyValue(valueOf(config, name)) ?? null
      return value === null ? [] : [[field, value]]
    }),
  )

/** Problems of a configuration by a schema of the API. */
export const configuredProblems = (
  schema: Schema,
  config: ObjectValue,
  fields: Readonly<Record<string, string>>,
  input: z.ZodType,
): Diagnostic[] => {
  const parsed = input.safeParse(configuredFields(config, fields), { error: plainProblem })
  const issues = parsed.success ? [] : parsed.error.issues
  return toDiagnostics(
    schema,
    config,
    issues.map(({ path, message }) => ({ parts: path, message, code: 'SV-2001' })),
  )
}

/** Refusals at their attributes. What is not known yet, or left out, is no problem here. */
export const toDiagnostics = (
  schema: Schema,
  config: ObjectValue,
  found: readonly FieldRefusal[],
): Diagnostic[] =>
  found.flatMap(({ parts, message, code }) => {
    if (isUnknownAt(config, parts)) return []
    const path = formatPath(parts)
    // a message may name other fields of the API
    const detail = `${snakeOf(path)}: ${message.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, snakeOf)}`
    return [errorAt(attributePath(schema, path), `Invalid value (${code})`, detail)]
  })

/** Whether a path of the API leads to an unknown value, or through one. */
const isUnknownAt = (config: ObjectValue, parts: readonly PropertyKey[]): boolean => {
  let value: Value = config
  for (const part of parts) {
    if (typeof value !== 'object' || value === null) return value === unknown
    const inner: Value | undefined = Array.isArray(value)
      ? (value as readonly Value[])[Number(part)]
      : (value as ObjectValue)[snakeOf(String(part))]
    value = inner ?? null
  }
  return value === unknown
}
