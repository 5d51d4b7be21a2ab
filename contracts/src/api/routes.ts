import { z } from 'zod'
import { Me } from '../account/account.ts'
import { objectiveRoutes } from '../objective/objective.ts'
import { alertRoutes } from '../open-alert/open-alert.ts'
import { AccountEvent } from '../mesh/events.ts'
import { agentRoutes } from '../agent/agent.ts'
import { channelRoutes } from '../channel/channel-routes.ts'
import { checkRoutes } from '../check/check-routes.ts'
import { errorRoutes } from '@probe-mesh/error-tracking/contracts/error-routes'
import { incidentRoutes } from '../incident/incident.ts'
import { maintenanceRoutes } from '../maintenance/maintenance.ts'
import { read, type InputOf, type Route, type Sent, type SentQuery } from '../schema/route.ts'
import { statusPageRoutes } from '../status-page/status-page-routes.ts'

export type { Route }

/**
 * All REST routes. Handlers, the typed client, OpenAPI and the gateway's tools use this table.
 */
export const routes = {
  ...checkRoutes,
  ...statusPageRoutes,
  ...incidentRoutes,
  ...maintenanceRoutes,
  ...channelRoutes,
  ...alertRoutes,
  ...objectiveRoutes,
  ...errorRoutes,
  ...agentRoutes,
  getMe: read({
    path: '/me',
    summary: 'The current account and key, and their remaining limits',
    output: Me,
  }),
} as const satisfies Record<string, Route>

/** Not in the table, since its response is a stream of server-sent events. */
export const eventsRoute = {
  method: 'GET',
  path: '/events',
  scope: 'read',
  budget: 'reads',
  summary: 'Server-sent events: flips, incidents and readings of the account as they happen',
  success: 200,
  output: AccountEvent,
} as const satisfies Route

/** Not in the table, since its response is text in the formats of Prometheus. */
export const metricsRoute = {
  method: 'GET',
  path: '/metrics',
  scope: 'read',
  budget: 'reads',
  summary: 'The checks of the account as metrics for your Prometheus, with the names of blackbox_exporter',
  success: 200,
  output: z.string(),
} as const satisfies Route

export type Routes = typeof routes
export type RouteName = keyof Routes

export type RouteInput<N extends RouteName> = InputOf<Routes[N]>

/** The input before parsing, as a caller sends it. */
export type RouteCall<N extends RouteName> = Sent<Routes[N], 'params'> &
  SentQuery<Routes[N]> &
  Sent<Routes[N], 'body'>

export type RouteOutput<N extends RouteName> = z.output<Routes[N]['output']>
