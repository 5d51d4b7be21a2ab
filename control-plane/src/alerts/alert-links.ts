import { linkedChecksMax, type AlertLink } from '@probe-mesh/contracts/open-alert/alert-link-routes'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { AccountRules } from '../accounts/operations/context.ts'
import { insertAudits } from '../accounts/operations/audit-store.ts'
import { repeatOnConflict } from '../stores/postgres/conflict.ts'
import type { Sql, Transaction } from '../stores/postgres/connect.ts'
import { transact } from '../stores/postgres/transact.ts'
import type { MailAction } from './alert-message.ts'
import type { WaitingMessage } from './alert-messages-store.ts'
import { insertAlertLink, lockAlertLink, markLinkUsed, type AlertLinkRecord } from './alert-links-store.ts'
import { actInTransaction, describeAlert } from './open-alerts.ts'
import { findChecksOfFlips, findOpenAlerts } from './open-alerts-store.ts'
import type { Receiver } from './receivers.ts'

/** `sql` sees every account: the token identifies the account. */
export type LinkContext = {
  readonly sql: Sql
  readonly rules: AccountRules
  readonly now: () => number
}

/** Alerts that one link acknowledges, of the mail's digest. */
const linkedMax = 100

/** The personal link of a mail that acknowledges its alerts; null: none of them is open. */
export const acknowledgeAction = async (
  tx: Transaction,
  receiver: Receiver,
  {
    address,
    of,
    publicUrl,
    nowMs,
  }: {
    address: string
    of: readonly WaitingMessage[]
    publicUrl: string
    nowMs: number
  },
): Promise<MailAction | null> => {
  if (receiver.kind !== 'mail') return null
  const open = of.filter(
    ({ message: { event } }) => event === 'alert' || event === 'reminder' || event === 'escalation',
  )
  const named = open.flatMap(({ message: { flipId } }) => (flipId === undefined ? [] : [flipId]))
  const all = [...new Set(named)]
  const flipIds = all.slice(0, linkedMax)
  if (flipIds.length === 0) return null
  const token = await insertAlertLink(tx, receiver, { address, flipIds, nowMs })
  const count = all.length > linkedMax ? `the first ${linkedMax} of ${all.length}` : `${all.length}`
  const label = all.length === 1 ? 'Acknowledge' : `Acknowledge ${count} alerts`
  return { label, url: `${publicUrl}/alerts/acknowledge?token=${token}` }
}

/** What a link acknowledges. It changes nothing. */
export const readAlertLink = ({ sql, now }: LinkContext, token: string): Promise<AlertLink | Refusal> =>
  transact(sql, async (tx) => {
    const link = await lockAlertLink(tx, token, now())
    if (link === null) return noLink
    return link.isSuspended ? refuse('SV-1012') : describeLink(tx, link, now())
  })

/**
 * Acknowledges the open alerts of a link, once, as its receiver. A link that finds nothing to acknowledge is not used up.
 * @param address the network address of the visitor
 */
export const acknowledgeByLink = (
  context: LinkContext,
  token: string,
  address: string,
): Promise<AlertLink | Refusal> =>
  repeatOnConflict(() =>
    transact(context.sql, async (tx) => {
      const nowMs = context.now()
      const link = await lockAlertLink(tx, token, nowMs)
      if (link === null) return noLink
      if (link.isSuspended) return refuse('SV-1012')
      if (link.usedAtMs !== null) return describeLink(tx, link, nowMs)
      const { accountId, userId, name } = link
      const acted: string[] = []
      for (const { flipId } of await findChecksOfFlips(tx, accountId, link.flipIds)) {
        const asked = { accountId, alertId: flipId, act: { kind: 'acknowledge' }, by: name } as const
        const result = await actInTransaction(tx, context, asked)
        if (!isRefusal(result) && result.changed) acted.push(flipId)
      }
      if (acted.length === 0) return describeLink(tx, link, nowMs)
      await markLinkUsed(tx, token, nowMs)
      const actor = { kind: 'user', id: userId ?? link.address, name: link.address, address } as const
      await insertAudits(
        tx,
        actor,
        { accountId, action: 'acknowledgeAlertByLink', resourceType: 'alert' },
        acted,
        nowMs,
      )
      return describeLink(tx, { ...link, usedAtMs: nowMs }, nowMs)
    }),
  )

const noLink = refuse('SV-3001', {
  status: 410,
  message: 'This link is expired, or it is not complete. Links in alert mails work for 7 days.',
})

const describeLink = async (tx: Transaction, link: AlertLinkRecord, nowMs: number): Promise<AlertLink> => {
  const { accountId, flipIds, usedAtMs } = link
  const checkIds = (await findChecksOfFlips(tx, accountId, flipIds)).map(({ checkId }) => checkId)
  const filter = { checkIds, flipIds, after: null, limit: linkedMax }
  const records = await findOpenAlerts(tx, accountId, filter)
  const open = records.filter(({ resolved }) => resolved === null).map((each) => describeAlert(each, nowMs))
  const isClosed = open.every(({ acknowledgedAt }) => acknowledgedAt !== null)
  return {
    state: usedAtMs !== null ? 'used' : isClosed ? 'closed' : 'open',
    actsFor: link.name,
    usedAt: usedAtMs === null ? null : new Date(usedAtMs).toISOString(),
    alerts: open
      .slice(0, linkedChecksMax)
      .map(({ checkName, status, since, acknowledgedBy, acknowledgedAt }) => ({
        checkName,
        status,
        since,
        acknowledgedBy,
        acknowledgedAt,
      })),
    more: Math.max(0, open.length - linkedChecksMax),
  }
}
