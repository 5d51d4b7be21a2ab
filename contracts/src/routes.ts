import { z } from 'zod'
import { Me } from './account.ts'
import { UpdateCheckAssertionsInput } from './assertions.ts'
import {
  Check,
  CheckDetail,
  CheckParams,
  CreateCheckInput,
  ReadingsQuery,
  Series,
  SeriesQuery,
  StoredReading,
  UpdateCheckRegionsInput,
} from './check.ts'
import { AccountEvent } from './events.ts'
import { Run, RunsQuery } from './run.ts'

/**
 * Every REST route, declared once: handlers, the typed client, OpenAPI, and later the tools of the
 * gateway all read this table.
 */
export type Route = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `{api_url}`. */
  path: string
  scope: 'read' | 'read_write'
  budget: 'reads' | 'writes'
  summary: string
  success: 200 | 201
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodObject
  output: z.ZodType
}

export const routes = {
  listChecks: {
    method: 'GET',
    path: '/checks',
    scope: 'read',
    budget: 'reads',
    summary: 'Every check of the account, of every type',
    success: 200,
    output: z.object({ checks: z.array(Check) }),
  },
  createCheck: {
    method: 'POST',
    path: '/checks',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Create an http check; it is measured once from every region at once',
    success: 201,
    body: CreateCheckInput,
    output: Check,
  },
  getCheck: {
    method: 'GET',
    path: '/checks/:id',
    scope: 'read',
    budget: 'reads',
    summary: 'One check with its status per region and as a whole',
    success: 200,
    params: CheckParams,
    output: CheckDetail,
  },
  updateCheckRegions: {
    method: 'PATCH',
    path: '/checks/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Change the regions a check is measured from',
    success: 200,
    params: CheckParams,
    body: UpdateCheckRegionsInput,
    output: Check,
  },
  updateCheckAssertions: {
    method: 'PATCH',
    path: '/checks/:id/assertions',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Replace every assertion; an empty body clears them all',
    success: 200,
    params: CheckParams,
    body: UpdateCheckAssertionsInput,
    output: Check,
  },
  deleteCheck: {
    method: 'DELETE',
    path: '/checks/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Remove a check and its history',
    success: 200,
    params: CheckParams,
    output: z.object({ id: z.string(), deleted: z.literal(true) }),
  },
  runCheck: {
    method: 'POST',
    path: '/checks/:id/run',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Measure now: one manual reading per region, with its phases',
    success: 200,
    params: CheckParams,
    output: z.object({ readings: z.array(StoredReading), unanswered: z.array(z.string()) }),
  },
  listReadings: {
    method: 'GET',
    path: '/checks/:id/readings',
    scope: 'read',
    budget: 'reads',
    summary: 'Readings, newest first',
    success: 200,
    params: CheckParams,
    query: ReadingsQuery,
    output: z.object({ readings: z.array(StoredReading), nextCursor: z.string().nullable() }),
  },
  listHeartbeatRuns: {
    method: 'GET',
    path: '/checks/:id/runs',
    scope: 'read',
    budget: 'reads',
    summary: 'Runs of a heartbeat, newest first; other checks have none',
    success: 200,
    params: CheckParams,
    query: RunsQuery,
    output: z.object({ runs: z.array(Run) }),
  },
  getSeries: {
    method: 'GET',
    path: '/checks/:id/series',
    scope: 'read',
    budget: 'reads',
    summary: 'Percentiles, availability and the slot ledger per step',
    success: 200,
    params: CheckParams,
    query: SeriesQuery,
    output: Series,
  },
  getMe: {
    method: 'GET',
    path: '/me',
    scope: 'read',
    budget: 'reads',
    summary: 'The account and key in use, and what is left of their limits',
    success: 200,
    output: Me,
  },
} as const satisfies Record<string, Route>

/** Beside the table, since its answer is a stream of server-sent events, not one value. */
export const eventsRoute = {
  method: 'GET',
  path: '/events',
  scope: 'read',
  budget: 'reads',
  summary: 'Server-sent events: flips and readings of the account as they happen',
  success: 200,
  output: AccountEvent,
} as const satisfies Route

export type Routes = typeof routes
export type RouteName = keyof Routes

type Parsed<R, K extends string> = K extends keyof R
  ? R[K] extends z.ZodType
    ? { [key in K]: z.output<R[K]> }
    : unknown
  : unknown
type Sent<R, K extends string> = K extends keyof R
  ? R[K] extends z.ZodType
    ? { [key in K]: z.input<R[K]> }
    : unknown
  : unknown

/** What a handler receives: params, query and body, each parsed, where the route has them. */
export type RouteInput<N extends RouteName> = Parsed<Routes[N], 'params'> &
  Parsed<Routes[N], 'query'> &
  Parsed<Routes[N], 'body'>

/** What a caller sends. */
export type RouteCall<N extends RouteName> = Sent<Routes[N], 'params'> &
  Sent<Routes[N], 'query'> &
  Sent<Routes[N], 'body'>

export type RouteOutput<N extends RouteName> = z.output<Routes[N]['output']>
