import type { z } from 'zod'
import { Me } from '../account/account.ts'
import { AccountEvent } from '../mesh/events.ts'
import { agentRoutes } from '../agent/agent.ts'
import { channelRoutes } from '../channel/channel-routes.ts'
import { checkRoutes } from '../check/check-routes.ts'
import { errorRoutes } from '../error-tracking/error-routes.ts'
import { incidentRoutes } from '../incident/incident.ts'
import { maintenanceRoutes } from '../maintenance/maintenance.ts'
import type { InputOf, Route, Sent } from '../schema/route.ts'
import { statusPageRoutes } from '../status-page/status-page-routes.ts'

export type { Route }

/**
 * Every REST route, declared once: handlers, the typed client, OpenAPI, and later the tools of the
 * gateway all read this table.
 */
export const routes = {
  ...checkRoutes,
  ...statusPageRoutes,
  ...incidentRoutes,
  ...maintenanceRoutes,
  ...channelRoutes,
  ...errorRoutes,
  ...agentRoutes,
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
  summary: 'Server-sent events: flips, incidents and readings of the account as they happen',
  success: 200,
  output: AccountEvent,
} as const satisfies Route

export type Routes = typeof routes
export type RouteName = keyof Routes

export type RouteInput<N extends RouteName> = InputOf<Routes[N]>

/** What a caller sends. */
export type RouteCall<N extends RouteName> = Sent<Routes[N], 'params'> &
  Sent<Routes[N], 'query'> &
  Sent<Routes[N], 'body'>

export type RouteOutput<N extends RouteName> = z.output<Routes[N]['output']>
