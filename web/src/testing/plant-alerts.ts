import { composeAlertMail, composeAlert } from '@probe-mesh/control-plane/src/alerts/alert-message'
import {
  insertTestAlert,
  insertTestAlertLink,
  playAlert,
  t0,
  watchedCheck,
} from '@probe-mesh/control-plane/src/alerts/testing'
import type { DeliveryDraft } from '@probe-mesh/control-plane/src/notifications/delivery-record'
import { insertDeliveries } from '@probe-mesh/control-plane/src/notifications/deliveries-store'
import { origin, type TestWeb } from './test-web.ts'

/** Writes a mail for each reason and each name, as the alerter does. */
export const writeAlerts = async (
  { at }: TestWeb,
  accountId: string,
  { names, reasons }: { names: readonly string[]; reasons: readonly string[] },
): Promise<void> => {
  const game = playAlert()
  game.flip('down', t0)
  game.look(t0)
  const [notice] = game.notices
  if (notice === undefined) throw new Error('there is nothing to tell')
  const drafts = reasons.map((reason, n): DeliveryDraft => {
    const [name = '', rule = ''] = [names[n % names.length], names[(n + 1) % names.length]]
    const check = watchedCheck({ fra: 'down', iad: null }, notice.atMs, { name })
    const told = { ...notice, alert: { ...notice.alert, reason } }
    return {
      accountId,
      kind: 'mail',
      recipient: 'reader@example.com',
      cause: `alert ${n}`,
      message: composeAlertMail(composeAlert(told, check, rule, origin).content),
      expiresAtMs: at.now() + 86_400_000,
    }
  })
  await insertDeliveries(at.sql, drafts, at.now())
}

/**
 * Opens an alert on two checks, one of them acknowledged. @param put notes a text that a page must show
 * @returns the unused link of a mail about the other
 */
export const plantOpenAlerts = async (
  { at }: TestWeb,
  accountId: string,
  names: readonly string[],
  put: (where: string, text: string) => string,
): Promise<string> => {
  const checks = await at.sql<{ id: string }[]>`
    select id from checks where account_id = ${accountId} order by created_at, id limit 2`
  const [open = '', taken = ''] = checks.map(({ id }) => id)
  const [first = '', second = ''] = names
  const name = put('rule of an alert', first)
  await insertTestAlert(at.sql, { accountId, checkId: taken, name, takenBy: put('acknowledged by', second) })
  const flipId = await insertTestAlert(at.sql, { accountId, checkId: open, name })
  const receiver = { userId: crypto.randomUUID(), address: put('receiver of a link', second) }
  const token = await insertTestAlertLink(at.sql, { accountId, ...receiver, flipId })
  return `/alerts/acknowledge?token=${token}`
}

/** A schedule and a policy with these names, whose only member is the owner. */
export const plantOnCall = async (
  { at }: TestWeb,
  send: (path: string, body: object) => Promise<string>,
  { accountId, names }: { accountId: string; names: readonly string[] },
  put: (where: string, text: string) => string,
): Promise<void> => {
  const [owner] = await at.sql<{ id: string }[]>`
    select id from users where account_id = ${accountId} order by created_at limit 1`
  const [first = '', second = ''] = names
  const scheduleId = await send('/on-call/schedules', {
    name: put('schedule', first),
    timeZone: 'Europe/Berlin',
    layers: [{ userIds: [owner?.id], handOver: '09:00', length: 1, unit: 'weeks', startDate: '2026-01-05' }],
  })
  const levels = [{ afterMinutes: 0, scheduleIds: [scheduleId] }]
  await send('/on-call/policies', { name: put('escalation policy', second), levels })
}
