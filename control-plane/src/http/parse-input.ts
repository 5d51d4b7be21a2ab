import { refuseInvalid } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { Route } from '@probe-mesh/contracts/routes'
import { z } from 'zod'

type Sent = { params: unknown; query: unknown; body: unknown }

/** What a verb takes: params, query and body, each as its schema made it. */
export type ParsedInput = { params: unknown; query: unknown; body: unknown }

/** What a route without a body may be sent: nothing, or an empty object. */
const noBody = z.strictObject({})

/**
 * Parses params, query and body by the route's schemas; every problem of all three is listed at
 * once. A body that was not sent counts as empty.
 */
export const parseInput = (route: Route, sent: Sent): ParsedInput | Refusal => {
  const errors: z.ZodError[] = []
  const parse = (schema: z.ZodType | undefined, value: unknown): unknown => {
    if (schema === undefined) return undefined
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    errors.push(parsed.error)
    return undefined
  }
  const input = {
    params: parse(route.params, sent.params),
    query: parse(route.query, sent.query),
    body: parse(route.body ?? noBody, sent.body ?? {}),
  }
  return errors.length > 0 ? refuseInvalid(errors) : input
}
