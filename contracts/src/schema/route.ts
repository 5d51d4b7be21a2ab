import type { RefusalCode } from './refusal.ts'

/** Every path of the API begins with it. */
export const apiPrefix = '/v1'
import type { z } from 'zod'

/** A route as it is declared: handlers, the typed client, OpenAPI and the gateway's tools read it. */
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
  output: z.ZodType
  /** Only this client may call it, named in `Service-Client`; others are refused with SV-3005. */
  client?: 'terraform-provider-service'
  /** The answer holds what is shown once, of which no copy is kept. */
  secret?: true
  /** Refusals besides those that every route of its kind may answer with; for the documents. */
  codes?: readonly RefusalCode[]
}

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

/** What a handler receives: params, query and body, each parsed, where the route has them. */
export type InputOf<R> = Parsed<R, 'params'> & Parsed<R, 'query'> & Parsed<R, 'body'>
