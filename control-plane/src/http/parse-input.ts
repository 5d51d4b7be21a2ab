import { plainProblem } from '@probe-mesh/contracts/schema/plain-problem'
import { refuseInvalid } from '@probe-mesh/contracts/schema/refusal'
import type { FieldProblem, Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Route } from '@probe-mesh/contracts/api/routes'
import { z } from 'zod'

/** The input schemas of a route. */
type Schemas = Pick<Route, 'params' | 'query' | 'body'>
type Sent = { params: unknown; query: unknown; body: unknown }

/** The input of an operation: params, query and body, parsed by their schemas. */
export type ParsedInput = { params: unknown; query: unknown; body: unknown }

/** The allowed body and query of a route without one: none, or an empty one. */
const nothing = z.strictObject({})

/** Parses params, query and body, and lists all problems. A missing body counts as empty. */
export const parseInput = (route: Schemas, sent: Sent): ParsedInput | Refusal => {
  const errors: z.ZodError[] = []
  const parse = (schema: z.ZodType | undefined, value: unknown): unknown => {
    if (schema === undefined) return undefined
    const parsed = schema.safeParse(value, { error: plainProblem })
    if (parsed.success) return parsed.data
    errors.push(parsed.error)
    return undefined
  }
  const input = {
    params: parse(route.params, sent.params),
    query: parse(route.query ?? nothing, sent.query ?? {}),
    body: parse(route.body ?? nothing, sent.body ?? {}),
  }
  const unstorable = [sent.query, sent.body].flatMap((part) => unstorableTexts(part))
  if (errors.length === 0 && unstorable.length === 0) return input
  return refuseInvalid(errors, unstorable)
}

/**
 * The databases cannot store NUL or half of a surrogate pair, which JSON can contain and UTF-8 cannot (RFC 7493
 * 2.1). They are refused in any field, so that texts are stored unchanged.
 */
const unstorableTexts = (value: unknown, path = '', depth = 0): FieldProblem[] => {
  if (typeof value === 'string') return isStorable(value) ? [] : [{ path, message: unstorable }]
  if (typeof value !== 'object' || value === null || depth === depthMax) return []
  return Object.entries(value).flatMap(([key, part]) =>
    unstorableTexts(part, Array.isArray(value) ? `${path}[${key}]` : join(path, key), depth + 1),
  )
}

/** No route has a deeper text: the schema refuses deeper input. */
const depthMax = 8
const unstorable = 'must not contain NUL or half of a surrogate pair'
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\u0000')
const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)
