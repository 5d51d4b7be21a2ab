import { z } from 'zod'
import {
  AlertRule,
  AlertRuleParams,
  CreateAlertRuleInput,
  UpdateAlertRuleInput,
} from '../alert/alert-rule.ts'
import { AuditEntry, AuditQuery } from '../account/audit.ts'
import { Check, CheckParams } from '../check/check.ts'
import { CheckConfig } from '../check/check-config.ts'
import { DeliveriesQuery, Delivery, DeliveryParams } from '../channel/channel.ts'
import { CreatedKey, CreateKeyInput, Key, KeyParams } from '../account/api-key.ts'
import { checkListRoutes } from '../check/check-list.ts'
import { errorAlertRoutes } from '../error-tracking/error-alert-routes.ts'
import { errorDashboardRoutes } from '../error-tracking/error-dashboard-routes.ts'
import { meshRoutes } from '../mesh/mesh.ts'
import { publishingRoutes } from '../status-page/status-page-routes.ts'
import { AccountEvent } from '../mesh/events.ts'
import type { Route } from '../schema/route.ts'
import { LoggedIn, Session, SessionParams } from '../account/session.ts'
import { Tier, TierLimits } from '../account/tiers.ts'
import { Trial } from '../check/trial.ts'

/**
 * What the dashboard has beside the routes of the REST table, all of which it has as well: under
 * `/dashboard-api`, for a session instead of a key. It may change, and is no part of the REST API.
 */
export const dashboardRoutes = {
  ...checkListRoutes,
  ...publishingRoutes,
  ...errorDashboardRoutes,
  ...errorAlertRoutes,
  ...meshRoutes,
  getSession: {
    method: 'GET',
    path: '/session',
    scope: 'read',
    budget: 'reads',
    summary: 'Who is logged in',
    success: 200,
    output: LoggedIn,
  },
  listSessions: {
    method: 'GET',
    path: '/sessions',
    scope: 'read',
    budget: 'reads',
    summary: 'Where the user is logged in',
    success: 200,
    output: z.object({ sessions: z.array(Session) }),
  },
  endSession: {
    method: 'DELETE',
    path: '/sessions/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Log out somewhere else',
    success: 200,
    params: SessionParams,
    output: z.object({ id: z.string(), ended: z.literal(true) }),
  },
  endOtherSessions: {
    method: 'DELETE',
    path: '/sessions',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Log out everywhere else',
    success: 200,
    output: z.object({ ended: z.int() }),
  },
  listKeys: {
    method: 'GET',
    path: '/keys',
    scope: 'read',
    budget: 'reads',
    summary: 'API keys of the account, revoked ones included',
    success: 200,
    output: z.object({ keys: z.array(Key) }),
  },
  createKey: {
    method: 'POST',
    path: '/keys',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Make an API key, which is shown this once; a free account makes read keys only',
    success: 201,
    body: CreateKeyInput,
    output: CreatedKey,
    codes: ['SV-1005', 'SV-3002'],
  },
  revokeKey: {
    method: 'DELETE',
    path: '/keys/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Revoke an API key; it stops working within 5 seconds',
    success: 200,
    params: KeyParams,
    output: Key,
  },
  getCheckConfig: {
    method: 'GET',
    path: '/checks/:id/config',
    scope: 'read',
    budget: 'reads',
    summary: 'What a check of any type holds besides: its settings, or its steps',
    success: 200,
    params: CheckParams,
    output: CheckConfig,
    codes: ['SV-3002'],
  },
  // the four bodies below are parsed by their verbs, which know more codes than a schema has
  createTypedCheck: {
    method: 'POST',
    path: '/typed-checks',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Create a check of any type but http',
    success: 201,
    body: z.unknown(),
    output: Check,
    codes: ['SV-2002', 'SV-2003', 'SV-4001', 'SV-4002', 'SV-5001'],
  },
  editTypedCheck: {
    method: 'PATCH',
    path: '/typed-checks/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Change a check of any type; of an http check, whether its target is told the region',
    success: 200,
    params: CheckParams,
    body: z.unknown(),
    output: Check,
    codes: ['SV-2002', 'SV-4002', 'SV-5001'],
  },
  replaceSteps: {
    method: 'PATCH',
    path: '/typed-checks/:id/steps',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Replace the whole list of steps of a multi-step check',
    success: 200,
    params: CheckParams,
    body: z.unknown(),
    output: Check,
    codes: ['SV-2002', 'SV-2003', 'SV-5001'],
  },
  releaseHeartbeat: {
    method: 'POST',
    path: '/checks/:id/release',
    scope: 'read_write',
    budget: 'writes',
    summary: 'End that a heartbeat is held down: its next good run makes it good again',
    success: 200,
    params: CheckParams,
    output: z.object({ id: z.string(), released: z.literal(true) }),
    codes: ['SV-3002'],
  },
  tryCheck: {
    method: 'POST',
    path: '/trials',
    scope: 'read_write',
    budget: 'writes',
    summary:
      'Measure once, from every region, what a new check of any type would; nothing is saved',
    success: 200,
    body: z.unknown(),
    output: Trial,
    codes: ['SV-2002', 'SV-2003', 'SV-3005', 'SV-4002', 'SV-5001'],
  },
  listTiers: {
    method: 'GET',
    path: '/tiers',
    scope: 'read',
    budget: 'reads',
    summary: 'What each tier may, as this server is configured',
    success: 200,
    output: z.object({ tiers: z.record(Tier, TierLimits) }),
  },
  listAlertRules: {
    method: 'GET',
    path: '/alert-rules',
    scope: 'read',
    budget: 'reads',
    summary: 'Alert rules of the account',
    success: 200,
    output: z.object({ alertRules: z.array(AlertRule) }),
  },
  createAlertRule: {
    method: 'POST',
    path: '/alert-rules',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Make an alert rule',
    success: 201,
    body: CreateAlertRuleInput,
    output: AlertRule,
    codes: ['SV-3002'],
  },
  updateAlertRule: {
    method: 'PATCH',
    path: '/alert-rules/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Change an alert rule',
    success: 200,
    params: AlertRuleParams,
    body: UpdateAlertRuleInput,
    output: AlertRule,
  },
  deleteAlertRule: {
    method: 'DELETE',
    path: '/alert-rules/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Remove an alert rule',
    success: 200,
    params: AlertRuleParams,
    output: z.object({ id: z.string(), deleted: z.literal(true) }),
  },
  listDeliveries: {
    method: 'GET',
    path: '/deliveries',
    scope: 'read',
    budget: 'reads',
    summary: 'Messages of the account and what became of them, newest first',
    success: 200,
    query: DeliveriesQuery,
    output: z.object({ deliveries: z.array(Delivery) }),
  },
  retryDelivery: {
    method: 'POST',
    path: '/deliveries/:id/retry',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Send again what was given up',
    success: 200,
    params: DeliveryParams,
    output: z.object({ id: z.string(), state: z.literal('pending') }),
    codes: ['SV-3002'],
  },
  listAudit: {
    method: 'GET',
    path: '/audit-log',
    scope: 'read',
    budget: 'reads',
    summary: 'Writes of the account, newest first: who, what, from where',
    success: 200,
    query: AuditQuery,
    output: z.object({ entries: z.array(AuditEntry) }),
  },
} as const satisfies Record<string, Route>

const EventKind = z.enum(['flip', 'incident', 'reading'])

/** Beside the table, since its answer is a stream: as `GET /v1/events`, and which kinds of events. */
export const dashboardEventsRoute = {
  method: 'GET',
  path: '/events',
  scope: 'read',
  budget: 'reads',
  summary: 'Server-sent events of the account as they happen, all or of the kinds that are named',
  success: 200,
  query: z.strictObject({
    /** `flip,incident`; readings are many. */
    kinds: z
      .string()
      .max(50)
      .transform((text) => text.split(','))
      .pipe(z.array(EventKind))
      .optional(),
  }),
  output: AccountEvent,
} as const satisfies Route

export type DashboardRoutes = typeof dashboardRoutes
export type DashboardRouteName = keyof DashboardRoutes
