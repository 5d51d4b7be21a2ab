import type { Notice } from './alert.ts'
import { composeAlert } from './alert-message.ts'
import type { WatchedCheck } from './evidence.ts'
import type { AlertRuleRecord } from './rule.ts'
import { addAlertMessages, findReceivers } from './alert-messages-store.ts'
import type { AlertMessageDraft, Receiver } from './alert-messages-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import type { AlertContext } from './context.ts'

/** A notice with the rule and the check that it is of. */
export type Told = { notice: Notice; rule: AlertRuleRecord; check: WatchedCheck }

/** Writes notices as messages that wait for their receivers, in the transaction of what caused them. */
export const tell = async (
  { publicUrl, metrics }: Pick<AlertContext, 'publicUrl' | 'metrics'>,
  transaction: Transaction,
  told: readonly Told[],
  nowMs: number,
): Promise<void> => {
  if (told.length === 0) return
  const accountIds = new Set(told.map(({ rule }) => rule.accountId))
  const receivers = Map.groupBy(
    await findReceivers(transaction, [...accountIds]),
    ({ accountId }) => accountId,
  )
  const drafts = told.flatMap(({ notice, rule, check }): AlertMessageDraft[] => {
    const message = composeAlert(notice, check, rule.name, publicUrl, rule.afterSeconds)
    return (receivers.get(rule.accountId) ?? [])
      .filter((receiver) => isReceiver(rule, receiver))
      .map((receiver) => ({
        receiver,
        checkId: check.id,
        cause: causeOf(notice, check, receiver),
        message,
      }))
  })
  await addAlertMessages(transaction, drafts, nowMs)
  for (const { notice } of told) metrics.notices.inc({ event: notice.event })
}

const isReceiver = (rule: AlertRuleRecord, { id, kind }: Receiver): boolean =>
  kind === 'mail' ? rule.emailUsers : rule.channelIds === null || rule.channelIds.includes(id)

/** Two rules that have the same to say of one outage say it to a receiver once. */
const causeOf = ({ event, alert }: Notice, check: WatchedCheck, receiver: Receiver): string => {
  const number = event === 'reminder' ? [alert.reminders, alert.toldDown ? 'down' : 'up'] : []
  return ['alert', check.id, alert.flipId, event, ...number, receiver.id].join(':')
}
