import {
  alertsPageDefault,
  snoozeMinutesMax,
  type Alert,
  type SnoozeAlertInput,
} from '@probe-mesh/contracts/open-alert/open-alert'
import { Uuid, uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { PageQuery } from '@probe-mesh/contracts/schema/list'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { z } from 'zod'
import type { AccountContext, Writer } from '../accounts/operations/context.ts'
import { createCursor, cutPage, refuseCursor } from '../accounts/operations/page-of.ts'
import { write } from '../accounts/operations/write.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { actOnAlert, type AlertAct } from './act-on-alert.ts'
import { appliesTo } from './alert-rule.ts'
import { findUnknownIds, lockAlertRulesShared } from './alert-rules-store.ts'
import { lockAlertsOfChecks, writeAlerts } from './alerts-store.ts'
import { nextVisitMs, notifyReceivers } from './claim-due-alerts.ts'
import {
  findChecksOfFlips,
  findMemberName,
  findOpenAlerts,
  hasFlip,
  insertAct,
  withdrawReminders,
  type OpenAlertRecord,
} from './open-alerts-store.ts'
import { lockWatchedChecksShared } from './watched-checks-store.ts'

type Acting = Pick<AccountContext, 'sql' | 'now' | 'rules'>
type ById = { params: { id: string } }

const positions = createCursor(z.tuple([z.number().min(0).max(8_640_000_000_000_000), Uuid]))

/** The open alerts of the account by check, newest first (S-1930). SV-3001 for a check that it does not have. */
export const listAlerts = async (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Writer, 'accountId'>,
  { query }: { query: PageQuery & { checkId?: string | undefined } },
): Promise<{ alerts: Alert[]; nextCursor: string | null } | Refusal> => {
  const after = query.cursor === undefined ? undefined : positions.parse(query.cursor)
  if (after === null) return refuseCursor
  const limit = query.limit ?? alertsPageDefault
  const filter = {
    checkIds: query.checkId === undefined ? null : [query.checkId],
    after: after === undefined ? null : { sinceMs: after[0], checkId: after[1] },
    limit: limit + 1,
  }
  const found = await inAccount(sql, accountId, async (tx) => {
    const unknown = await findUnknownIds(tx, accountId, {
      checkIds: filter.checkIds ?? [],
      channelIds: [],
      userIds: [],
    })
    return unknown.size > 0 ? refuse('SV-3001') : findOpenAlerts(tx, accountId, filter)
  })
  if (isRefusal(found)) return found
  const { entries, next } = cutPage(found, limit, ({ sinceMs, checkId }) =>
    positions.format([sinceMs, checkId]),
  )
  return { alerts: entries.map((each) => describeAlert(each, now())), nextCursor: next }
}

export const acknowledgeAlert = (context: Acting, writer: Writer, { params }: ById) =>
  actOn(context, writer, params.id, 'acknowledgeAlert', { kind: 'acknowledge' })

export const resolveAlert = (context: Acting, writer: Writer, { params }: ById) =>
  actOn(context, writer, params.id, 'resolveAlert', { kind: 'resolve' })

/** SV-2001 if the end is not in the future, or more than 7 days ahead. */
export const snoozeAlert = async (
  context: Acting,
  writer: Writer,
  { params, body: { minutes, until } }: ById & { body: SnoozeAlertInput },
): Promise<Alert | Refusal> => {
  const nowMs = context.now()
  const untilMs = until ?? nowMs + (minutes ?? 0) * 60_000
  if (untilMs <= nowMs) return refuseUntil('must be in the future')
  if (untilMs > nowMs + snoozeMinutesMax * 60_000) return refuseUntil('must be at most 7 days ahead')
  return actOn(context, writer, params.id, 'snoozeAlert', { kind: 'snooze', untilMs })
}

const refuseUntil = (message: string): Refusal => refuse('SV-2001', { errors: [{ path: 'until', message }] })

/** Acts on an alert as a member or a key. SV-3001: no such alert. SV-3002: it is closed, or leaves nothing to snooze. */
const actOn = async (
  context: Acting,
  writer: Writer,
  alertId: string,
  action: string,
  act: AlertAct,
): Promise<Alert | Refusal> => {
  const audit = {
    action,
    resourceType: 'alert',
    resourceId: ({ changed }: Acted) => (changed ? alertId : null),
  }
  const written = await write(context, writer, audit, async (tx) => {
    const by = await nameOf(tx, writer)
    return actInTransaction(tx, context, { accountId: writer.accountId, alertId, act, by })
  })
  return isRefusal(written) ? written : describeAlert(written.record, context.now())
}

export type Acted = { record: OpenAlertRecord; changed: boolean }

/**
 * Applies an act to the alerts of all rules on the check of an alert, withdraws reminders that no receiver has got,
 * and notifies the receivers of the alert. The rows are locked as the alerter locks them, so that no reminder is
 * composed after the act.
 */
export const actInTransaction = async (
  tx: Transaction,
  { rules: { publicUrl }, now }: Pick<Acting, 'rules' | 'now'>,
  { accountId, alertId, act, by }: { accountId: string; alertId: string; act: AlertAct; by: string },
): Promise<Acted | Refusal> => {
  const [of] = await findChecksOfFlips(tx, accountId, [alertId])
  if (of === undefined) return (await hasFlip(tx, accountId, alertId)) ? closed : refuse('SV-3001')
  const { checkId } = of
  const check = (await lockWatchedChecksShared(tx, [checkId])).get(checkId)
  if (check === undefined) return refuse('SV-3001')
  const rules = new Map((await lockAlertRulesShared(tx, [accountId])).map((rule) => [rule.id, rule]))
  const open = (await lockAlertsOfChecks(tx, [checkId])).flatMap((record) => {
    const rule = rules.get(record.ruleId)
    return rule === undefined || !appliesTo(rule, check) ? [] : [{ rule, record }]
  })
  const isEnded = open.every(({ record }) => record.state.resolved !== undefined)
  if (!open.some(({ record }) => record.state.flipId === alertId)) return closed
  if (isEnded && act.kind !== 'resolve') return ended
  const isTaken = open.some(({ record }) => record.state.acknowledged !== undefined)
  if (isTaken && act.kind === 'snooze') return taken
  // read after the locks: the alerter may have been a moment faster
  const atMs = now()
  const steps = open.map(({ rule, record }) => ({
    rule,
    record,
    step: actOnAlert(record.state, act, { by, atMs }),
  }))
  const changes = steps.filter(({ step }) => step.changed)
  await writeAlerts(
    tx,
    changes.map(({ record, step }) => ({
      ...record,
      state: step.alert,
      nextAtMs: nextVisitMs([], step.alert, atMs),
    })),
  )
  const notices = changes.flatMap(({ rule, step: { event, alert } }) =>
    event === null ? [] : [{ notice: { event, alert, atMs, wasHeld: false }, rule, check }],
  )
  await notifyReceivers({ publicUrl }, tx, notices, atMs)
  if (changes.length > 0) {
    await withdrawReminders(tx, checkId, atMs)
    const untilMs = act.kind === 'snooze' ? act.untilMs : null
    const id = uuidv7(atMs)
    await insertAct(tx, { id, accountId, checkId, kind: act.kind, actor: by, atMs, untilMs })
  }
  const [record] = await findOpenAlerts(tx, accountId, { checkIds: [checkId], after: null, limit: 1 })
  return record === undefined ? closed : { record, changed: changes.length > 0 }
}

const closed = refuse('SV-3002', {
  message: 'This alert is closed: the check recovered, or its rule changed.',
})
const ended = refuse('SV-3002', { message: 'This alert is closed: its messages were ended.' })
const taken = refuse('SV-3002', {
  message: 'This alert is acknowledged: no reminders follow, so there is nothing to snooze.',
})

/** The name of an actor for other people. */
const nameOf = async (tx: Transaction, { accountId, actor }: Writer): Promise<string> => {
  if (!('id' in actor)) return `the ${actor.kind}`
  if (actor.kind === 'key') return `API key ${actor.name}`
  return (await findMemberName(tx, accountId, actor.id)) ?? actor.name
}

/** An alert as its account sees it. */
export const describeAlert = (record: OpenAlertRecord, nowMs: number): Alert => {
  const { sinceMs, acknowledged, snoozedUntilMs, resolved, escalation, ...shown } = record
  const isSnoozed = snoozedUntilMs !== null && snoozedUntilMs > nowMs
  return {
    ...shown,
    since: isoOf(sinceMs),
    escalation: escalation === null ? null : escalatedAs(escalation),
    acknowledgedBy: acknowledged?.by ?? null,
    acknowledgedAt: acknowledged === null ? null : isoOf(acknowledged.atMs),
    snoozedUntil: isSnoozed ? isoOf(snoozedUntilMs) : null,
    resolvedBy: resolved?.by ?? null,
    resolvedAt: resolved === null ? null : isoOf(resolved.atMs),
  }
}

const escalatedAs = ({ atMs, ...level }: NonNullable<OpenAlertRecord['escalation']>) => ({
  ...level,
  at: isoOf(atMs),
})

const isoOf = (ms: number): string => new Date(ms).toISOString()
