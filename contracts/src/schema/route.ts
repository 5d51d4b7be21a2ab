import type { z } from 'zod'
import type { RefusalCode } from './refusal.ts'

/** The prefix of all API paths. */
export const apiPrefix = '/v1'

/** The declaration of a route. Handlers, the typed client, OpenAPI and the gateway's tools use it. */
export type Route = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `{api_url}`. */
  path: string
  scope: 'read' | 'read_write'
  budget: 'reads' | 'writes'
  summary: string
  success: 200 | 201 | 202
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  /** The fields of the body that are kept as secrets, or not kept: they may have a private key. */
  secretFields?: readonly string[]
  /** The limit of the body; `limits.requestBodyBytesMax` where it is absent. */
  bodyBytesMax?: number
  output: z.ZodType
  /** The only client that may call it, by its `Service-Client` header. Others get SV-3005. */
  client?: 'terraform-provider-service'
  /**
   * Where the created resource is, below `{api_url}`: the header `Location`. `:name` is a parameter of the request,
   * `:$name` a field of the answer.
   */
  location?: string
  /** The response contains a secret that is shown once and not stored. */
  secret?: true
  /** The response has an ETag, and a client that has it gets 304. Only for routes of the dashboard. */
  revalidated?: true
  /** Error codes in addition to the common ones of its kind, for the documents. */
  codes?: readonly RefusalCode[]
}

const reading = { method: 'GET', scope: 'read', budget: 'reads', success: 200 } as const
const writing = { scope: 'read_write', budget: 'writes' } as const

/** A route that only reads: any key may call it. */
export const read = <const R extends Omit<Route, keyof typeof reading>>(route: R): typeof reading & R => ({
  ...reading,
  ...route,
})

type Success = { success: Route['success'] }
type Write = Omit<Route, keyof typeof writing | 'success'> & Partial<Success>

/** A route that changes something: the key needs the scope `read_write`. It answers 200 where it names no other. */
export const write = <const R extends Write>(route: R) =>
  ({ ...writing, success: 200, ...route }) as typeof writing & (R extends Success ? R : R & { success: 200 })

type Parsed<R, K extends string> = K extends keyof R
  ? R[K] extends z.ZodType
    ? { [key in K]: z.output<R[K]> }
    : unknown
  : unknown
export type Sent<R, K extends string> = K extends keyof R
  ? R[K] extends z.ZodType
    ? { [key in K]: z.input<R[K]> }
    : unknown
  : unknown

/** A query may be left out when all its parameters are optional. */
export type SentQuery<R> = R extends { query: z.ZodType }
  ? Record<never, never> extends z.input<R['query']>
    ? Partial<Sent<R, 'query'>>
    : Sent<R, 'query'>
  : unknown

/** The input of a handler: the parsed params, query and body of the route. */
export type InputOf<R> = Parsed<R, 'params'> & Parsed<R, 'query'> & Parsed<R, 'body'>
