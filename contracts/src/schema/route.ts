import type { RefusalCode } from './refusal.ts'
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
