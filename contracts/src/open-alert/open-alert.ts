import { z } from 'zod'
import { components, field } from '../schema/field.ts'
import { CheckStatus } from '../check/check.ts'
import { id, Uuid } from '../schema/ids.ts'
import { nextCursor, pageParameters } from '../schema/list.ts'
import { read, write, type Route } from '../schema/route.ts'
import { Instant } from '../schema/text.ts'

/** 7 days. */
export const snoozeMinutesMax = 10_080
export const alertsPageDefault = 100

/** An open alert: an outage of a check, as all alert rules together see it. It closes when the check recovers. */
export const Alert = z.object({
  id: field(id, 'Id of the status change that opened it.'),
  checkId: field(id, 'Id of the check.'),
  checkName: field(z.string(), 'Name of the check.', 'Shop'),
  status: field(CheckStatus, 'Current status of the check.'),
  reason: field(z.string().nullable(), 'Why it is not up. See [reasons](/docs/reasons).', null),
  since: field(Instant, 'Start.'),
  rules: field(
    z.array(
      z.object({
        id: field(id, 'Id of the status change that opened it.'),
        name: field(z.string(), 'Name of the rule.', 'Everything that goes down'),
      }),
    ),
    'Alert rules whose conditions hold, by name.',
  ),
  notified: field(z.boolean(), 'Whether receivers were notified, or a delay or maintenance holds it.', true),
  reminders: field(z.int(), 'Reminders sent so far, of the rule that sent most.', 1),
  escalation: field(
    z
      .object({
        policy: field(z.string(), 'Name of the escalation policy.', 'Night'),
        level: field(z.int().min(1), 'Level, from 1.', 2),
        round: field(z.int().min(1), '1 for the first time, then 2 and more for repeats.', 1),
        at: field(Instant, 'When the level was notified.'),
      })
      .nullable(),
    'Latest level that an escalation policy reached. null: none.',
  ),
  acknowledgedBy: field(z.string().nullable(), 'Member or API key that acknowledged it.', 'Ada'),
  acknowledgedAt: field(Instant.nullable(), 'When it was acknowledged.'),
  snoozedUntil: field(Instant.nullable(), 'Reminders wait until then.', null),
  resolvedBy: field(z.string().nullable(), 'Who ended its messages. The check may still fail.', null),
  resolvedAt: field(Instant.nullable(), 'When its messages were ended.', null),
})
export type Alert = z.infer<typeof Alert>
components.add(Alert, { id: 'Alert' })

const AlertParams = z.object({ id: field(Uuid, 'Id of the alert.') })

const AlertsQuery = z.strictObject({
  ...pageParameters,
  checkId: field(Uuid.optional(), 'Id of the check.'),
})

const InputInstant = z.iso
  .datetime({ offset: true, message: 'must be an ISO 8601 time, such as 2026-11-20T12:00:00.000Z' })
  .transform((text) => Date.parse(text))

/** Exactly one of both. */
export const SnoozeAlertInput = z
  .strictObject({
    minutes: field(z.int().min(1).max(snoozeMinutesMax).optional(), 'Wait of reminders, up to 7 days.', 60),
    until: field(InputInstant.optional(), 'When reminders start again, at most 7 days ahead.'),
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
  listAlerts: read({
    path: '/alerts',
    summary: 'Open alerts, newest first: outages of checks that an alert rule watches',
    query: AlertsQuery,
    output: z.object({ alerts: field(z.array(Alert), 'Open alerts, newest first.'), nextCursor }),
    codes: ['SV-3001'],
  }),
  acknowledgeAlert: write({
    method: 'POST',
    path: '/alerts/:id/acknowledge',
    summary:
      'Acknowledge an alert: no more reminders; receivers learn who took it. Once more changes nothing',
    params: AlertParams,
    output: Alert,
    codes: ['SV-3002'],
  }),
  snoozeAlert: write({
    method: 'POST',
    path: '/alerts/:id/snooze',
    summary: 'Snooze an alert: reminders wait; one comes at the end if the check still fails',
    params: AlertParams,
    body: SnoozeAlertInput,
    output: Alert,
    codes: ['SV-3002'],
  }),
  resolveAlert: write({
    method: 'POST',
    path: '/alerts/:id/resolve',
    summary:
      'End the messages of an alert; the check is measured as before, and its recovery sends no message',
    params: AlertParams,
    output: Alert,
    codes: ['SV-3002'],
  }),
} as const satisfies Record<string, Route>
