import { plainProblem } from '@probe-mesh/contracts/schema/plain-problem'
import {
  formatPath,
  refuseInvalid,
  type FieldProblem,
  type Refusal,
} from '@probe-mesh/contracts/schema/refusal'
import { privateKeyMessage, privateKeyTexts } from '@probe-mesh/contracts/schema/private-key'
import { unstorableMessage, unstorableTexts } from '@probe-mesh/contracts/schema/storable-text'
import type { Route } from '@probe-mesh/contracts/api/routes'
import { z } from 'zod'

/** The input schemas of a route. */
type Schemas = Pick<Route, 'params' | 'query' | 'body' | 'secretFields'>
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
  const parts = [sent.query, sent.body]
  const found = [...parts.flatMap(unstorableProblems), ...parts.flatMap((part) => keyProblems(route, part))]
  if (errors.length === 0 && found.length === 0) return input
  return refuseInvalid(errors, found)
}

const unstorableProblems = (part: unknown): FieldProblem[] =>
  unstorableTexts(part, depthMax).map((path) => ({ path: formatPath(path), message: unstorableMessage }))

/** A private key belongs in a secret, so that nobody reads it: no other field of any route takes one. */
const keyProblems = ({ secretFields = [] }: Schemas, part: unknown): FieldProblem[] =>
  privateKeyTexts(part, depthMax).flatMap((path) => {
    const field = formatPath(path)
    return secretFields.includes(field) || becomesSecret.test(field)
      ? []
      : [{ path: field, message: privateKeyMessage }]
  })

/** Credentials of a request, which are stored as secrets (S-3815) or refused where they cannot be. */
const becomesSecret = /(?:^|\.)(?:request|options)\.(?:headers|auth|clientCertificate)\b/

/** No route has a deeper text: the schema refuses deeper input. */
const depthMax = 8
