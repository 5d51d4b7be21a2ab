import { z } from 'zod'
import { onCallRoutes } from '../on-call/on-call-routes.ts'
import { alertRuleRoutes } from '../alert/alert-rule-routes.ts'
import { AuditEntry, AuditQuery } from '../account/audit.ts'
import { Check, CheckParams } from '../check/check.ts'
import { CheckConfig } from '../check/check-config.ts'
import { BulkInput, BulkResult } from '../check/bulk.ts'
import { DeliveriesQuery, Delivery, DeliveryParams, FailingChannel } from '../channel/channel.ts'
import { CreatedKey, CreateKeyInput, Key, KeyParams } from '../account/api-key.ts'
import { checkCauseRoutes } from '../check/check-cause.ts'
import { checkImportRoutes } from '../check/check-import.ts'
import { checkListRoutes } from '../check/check-list.ts'
import { checkNotesRoutes } from '../check/check-notes.ts'
import { checkPauseRoutes } from '../check/check-pause.ts'
import { checkParentsRoutes } from '../check/check-parents.ts'
import { regionSeriesRoutes } from '../check/region-series.ts'
import { ruleReplayRoutes } from '../check/rule-replay.ts'
import { statusRuleRoutes } from '../check/status-rule.ts'
import { savedFilterRoutes } from '../check/saved-filter.ts'
import { memberRoutes } from '../account/member-routes.ts'
import { profileRoutes } from '../account/profile.ts'
import { errorAlertRoutes } from '@probe-mesh/error-tracking/contracts/error-alert-routes'
import { errorDashboardRoutes } from '@probe-mesh/error-tracking/contracts/error-dashboard-routes'
import { meshRoutes } from '../mesh/mesh.ts'
import { outageLogRoutes } from '../overview/outage-log.ts'
import { objectiveChangeRoutes } from '../objective/objective.ts'
import { secretRoutes } from '../secret/secret-routes.ts'
import { telemetryRoutes } from '../telemetry/telemetry.ts'
import { overviewRoutes } from '../overview/overview.ts'
import { publishingRoutes } from '../status-page/status-page-routes.ts'
import { AccountEvent } from '../mesh/events.ts'
import { read, write, type Route } from '../schema/route.ts'
import { LoggedIn, Session, SessionParams } from '../account/session.ts'
import { Tier, TierLimits } from '../account/tiers.ts'
import { Trial } from '../check/trial.ts'

/**
 * The dashboard routes in addition to all REST routes, below `/dashboard-api`, with a session instead of a key.
 * They may change and are not part of the REST API.
 */
export const dashboardRoutes = {
  ...checkListRoutes,
  ...checkImportRoutes,
  ...savedFilterRoutes,
  ...checkNotesRoutes,
  ...checkParentsRoutes,
  ...checkPauseRoutes,
  ...statusRuleRoutes,
  ...ruleReplayRoutes,
  ...checkCauseRoutes,
  ...regionSeriesRoutes,
  ...publishingRoutes,
  ...errorDashboardRoutes,
  ...errorAlertRoutes,
  ...alertRuleRoutes,
  ...onCallRoutes,
  ...objectiveChangeRoutes,
  ...secretRoutes,
  ...telemetryRoutes,
  ...meshRoutes,
  ...outageLogRoutes,
  ...overviewRoutes,
  ...memberRoutes,
  ...profileRoutes,
  getSession: read({
    path: '/session',
    summary: 'The current user, account and session',
    output: LoggedIn,
  }),
  listSessions: read({
    path: '/sessions',
    summary: 'Sessions of the user',
    output: z.object({ sessions: z.array(Session) }),
  }),
  endSession: write({
    method: 'DELETE',
    path: '/sessions/:id',
    summary: 'End another session of the user',
    params: SessionParams,
    output: z.object({ id: z.string(), ended: z.literal(true) }),
  }),
  endOtherSessions: write({
    method: 'DELETE',
    path: '/sessions',
    summary: 'End all other sessions of the user',
    output: z.object({ ended: z.int() }),
  }),
  listKeys: read({
    path: '/keys',
    summary: 'API keys of the account, including revoked ones',
    output: z.object({ keys: z.array(Key) }),
  }),
  createKey: write({
    method: 'POST',
    path: '/keys',
    summary: 'Create an API key, which is shown once; the Free plan allows read keys only',
    success: 201,
    body: CreateKeyInput,
    output: CreatedKey,
    secret: true,
    codes: ['SV-1005', 'SV-3002'],
  }),
  revokeKey: write({
    method: 'DELETE',
    path: '/keys/:id',
    summary: 'Revoke an API key; it stops working within 5 seconds',
    params: KeyParams,
    output: Key,
  }),
  getCheckConfig: read({
    path: '/checks/:id/config',
    summary: 'The settings or steps of a check of any type',
    params: CheckParams,
    output: CheckConfig,
    codes: ['SV-3002'],
  }),
  // the operations parse the four bodies below, since they know more error codes than a schema
  createTypedCheck: write({
    method: 'POST',
    path: '/typed-checks',
    summary: 'Create a check of any type; an http check may have a request and credentials',
    success: 201,
    body: z.unknown(),
    output: Check,
    codes: ['SV-2002', 'SV-2003', 'SV-4001', 'SV-4002', 'SV-5001'],
  }),
  editTypedCheck: write({
    method: 'PATCH',
    path: '/typed-checks/:id',
    summary: 'Change a check of any type; its id and its history stay',
    params: CheckParams,
    body: z.unknown(),
    output: Check,
    codes: ['SV-2002', 'SV-4002', 'SV-5001'],
  }),
  replaceSteps: write({
    method: 'PATCH',
    path: '/typed-checks/:id/steps',
    summary: 'Replace the whole list of steps of a multi-step check',
    params: CheckParams,
    body: z.unknown(),
    output: Check,
    codes: ['SV-2002', 'SV-2003', 'SV-5001'],
  }),
  cloneCheck: write({
    method: 'POST',
    path: '/checks/:id/clone',
    summary: 'Create a check with the settings of another one',
    success: 201,
    params: CheckParams,
    output: Check,
    codes: ['SV-3002', 'SV-4001', 'SV-4002', 'SV-5001'],
  }),
  changeChecks: write({
    method: 'POST',
    path: '/checks/bulk',
    summary: 'Pause, resume, delete, tag or publish many checks, or add them to an alert rule',
    body: BulkInput,
    output: BulkResult,
    codes: ['SV-3001'],
  }),
  releaseHeartbeat: write({
    method: 'POST',
    path: '/checks/:id/release',
    summary: 'Release a heartbeat that is held down: its next successful run makes it operational',
    params: CheckParams,
    output: z.object({ id: z.string(), released: z.literal(true) }),
    codes: ['SV-3002'],
  }),
  tryCheck: write({
    method: 'POST',
    path: '/trials',
    summary: 'Try a check of any type: measure once from every region and save nothing',
    body: z.unknown(),
    output: Trial,
    codes: ['SV-2002', 'SV-2003', 'SV-3005', 'SV-4002', 'SV-5001'],
  }),
  listTiers: read({
    path: '/tiers',
    summary: 'The limits of each plan on this server',
    output: z.object({ tiers: z.record(Tier, TierLimits) }),
  }),
  listDeliveries: read({
    path: '/deliveries',
    summary: 'Messages of the account with their delivery state, newest first',
    query: DeliveriesQuery,
    output: z.object({ deliveries: z.array(Delivery) }),
  }),
  listFailingChannels: read({
    path: '/failing-channels',
    summary: 'Channels whose messages do not arrive: since when, and the last answer',
    output: z.object({ channels: z.array(FailingChannel) }),
  }),
  retryDelivery: write({
    method: 'POST',
    path: '/deliveries/:id/retry',
    summary: 'Retry a message that failed permanently',
    params: DeliveryParams,
    output: z.object({ id: z.string(), state: z.literal('pending') }),
    codes: ['SV-3002'],
  }),
  listAudit: read({
    path: '/audit-log',
    summary: 'Audit log of the account, newest first: actor, action and address',
    query: AuditQuery,
    output: z.object({ entries: z.array(AuditEntry) }),
  }),
} as const satisfies Record<string, Route>

const EventKind = z.enum(['flip', 'incident', 'reading'])

/** Not in the table, since its response is a stream. Like `GET /v1/events`, with a filter by kind. */
export const dashboardEventsRoute = {
  method: 'GET',
  path: '/events',
  scope: 'read',
  budget: 'reads',
  summary: 'Server-sent events of the account as they happen, optionally filtered by kind',
  success: 200,
  query: z.strictObject({
    /** Such as `flip,incident`, to skip the many readings. */
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
