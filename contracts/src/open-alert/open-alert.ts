import { z } from 'zod'
import { CheckStatus } from '../check/check.ts'
import { Uuid } from '../schema/ids.ts'
import { nextCursor, pageParameters } from '../schema/list.ts'
import type { Route } from '../schema/route.ts'
import { Instant } from '../schema/text.ts'

/** 7 days. */
export const snoozeMinutesMax = 10_080
export const alertsPageDefault = 100

/** An open alert: an outage of a check, as all alert rules together see it. It closes when the check recovers. */
export const Alert = z.object({
  /** The id of the status change that opened it. */
  id: z.string(),
  checkId: z.string(),
  checkName: z.string(),
  /** The current status of the check, and its reason. */
  status: CheckStatus,
  reason: z.string().nullable(),
  since: Instant,
  /** The rules whose conditions hold, in order of their names. */
  rules: z.array(z.object({ id: z.string(), name: z.string() })),
  /** Whether a rule has notified its receivers. Otherwise a delay has not passed, or maintenance holds it. */
  notified: z.boolean(),
  /** Reminders sent so far, of the rule that sent most. */
  reminders: z.int(),
  /** The latest level that an escalation policy reached; levels and rounds count from 1. null: none. */
  escalation: z
    .object({ policy: z.string(), level: z.int().min(1), round: z.int().min(1), at: Instant })
    .nullable(),
  /** The member or API key that acknowledged it. */
  acknowledgedBy: z.string().nullable(),
  acknowledgedAt: Instant.nullable(),
  /** Reminders wait until then. */
  snoozedUntil: Instant.nullable(),
  /** The member or API key that ended its messages. The check may still fail. */
  resolvedBy: z.string().nullable(),
  resolvedAt: Instant.nullable(),
})
export type Alert = z.infer<typeof Alert>

const AlertParams = z.object({ id: Uuid })

const AlertsQuery = z.strictObject({
  ...pageParameters,
  checkId: Uuid.optional(),
})

const InputInstant = z.iso
  .datetime({ offset: true, message: 'must be an ISO 8601 time, such as 2026-11-20T12:00:00.000Z' })
  .transform((text) => Date.parse(text))

/** Exactly one of both. */
export const SnoozeAlertInput = z
  .strictObject({
    minutes: z.int().min(1).max(snoozeMinutesMax).optional(),
    /** A future time, at most 7 days ahead. */
    until: InputInstant.optional(),
  })
  .superRefine(({ minutes, until }, context) => {
    if ((minutes === undefined) === (until === undefined)) {
      context.addIssue({
        code: 'custom',
        path: ['minutes'],
        message: 'give exactly one of minutes and until',
      })
    }
  })
export type SnoozeAlertInput = z.infer<typeof SnoozeAlertInput>

export const alertRoutes = {
  listAlerts: {
    method: 'GET',
    path: '/alerts',
    scope: 'read',
    budget: 'reads',
    summary: 'Open alerts, newest first: outages of checks that an alert rule watches',
    success: 200,
    query: AlertsQuery,
    output: z.object({ alerts: z.array(Alert), nextCursor }),
    codes: ['SV-3001'],
  },
  acknowledgeAlert: {
    method: 'POST',
    path: '/alerts/:id/acknowledge',
    scope: 'read_write',
    budget: 'writes',
    summary:
      'Acknowledge an alert: no more reminders; receivers learn who took it. Once more changes nothing',
    success: 200,
    params: AlertParams,
    output: Alert,
    codes: ['SV-3002'],
  },
  snoozeAlert: {
    method: 'POST',
    path: '/alerts/:id/snooze',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Snooze an alert: reminders wait; one comes at the end if the check still fails',
    success: 200,
    params: AlertParams,
    body: SnoozeAlertInput,
    output: Alert,
    codes: ['SV-3002'],
  },
  resolveAlert: {
    method: 'POST',
    path: '/alerts/:id/resolve',
    scope: 'read_write',
    budget: 'writes',
    summary:
      'End the messages of an alert; the check is measured as before, and its recovery sends no message',
    success: 200,
    params: AlertParams,
    output: Alert,
    codes: ['SV-3002'],
  },
} as const satisfies Record<string, Route>
