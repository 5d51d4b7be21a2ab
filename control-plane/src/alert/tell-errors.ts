import { composeAlertMail } from '../alerts/alert-mail.ts'
import { composeErrorMessage } from '../error-tracking/alert/error-message.ts'
import type { NewsDetails, NewsSubject } from '../error-tracking/alert/error-message.ts'
import type { ErrorNews, ErrorRuleRecord } from '../error-tracking/alert/error-rule.ts'
import { admit } from '../error-tracking/alert/hour-bound.ts'
import type { HourBound } from '../error-tracking/alert/hour-bound.ts'
import type { ChannelMessage, DeliveryDraft } from '../deliveries/message.ts'
import { findAddress, findReceivers } from '../postgres/alert-messages.ts'
import type { Receiver } from '../postgres/alert-messages.ts'
import type { Transaction } from '../postgres/connect.ts'
import { insertDeliveries } from '../postgres/deliveries.ts'
import type { AlertContext } from './context.ts'

/** After this nobody wants to be told any more. */
const expiresMs = 86_400_000

/** Something to tell, with what it is of and when it happened; `cause` is the same for it in every rule. */
export type ToldNews = {
  news: ErrorNews
  cause: string
  subject: NewsSubject
  details: NewsDetails
}

/**
 * Tells what a rule has to tell, as far as the bound of its hour allows; the rest waits. In the
 * transaction of what caused it, which has the rule's state locked.
 * @returns the bound as it is to be written, and the causes that were told by themselves
 */
export const tellErrors = async (
  context: Pick<AlertContext, 'publicUrl' | 'metrics'>,
  tx: Transaction,
  { rule, bound }: { rule: ErrorRuleRecord; bound: HourBound },
  told: readonly ToldNews[],
  nowMs: number,
): Promise<{ bound: HourBound; alone: ReadonlySet<string> }> => {
  const alone = new Set<string>()
  const messages: { cause: string; message: ChannelMessage }[] = []
  let left = bound
  for (const { news, cause, subject, details } of told) {
    const step = admit(left, news, nowMs)
    left = step.bound
    context.metrics.errorNews.inc({ kind: news.kind, told: step.alone ? 'alone' : 'gathered' })
    if (!step.alone) continue
    alone.add(cause)
    const by = { ruleName: rule.name, publicUrl: context.publicUrl }
    messages.push({ cause, message: composeErrorMessage(news, subject, details, by) })
  }
  await sendErrors(tx, rule, messages, nowMs)
  return { bound: left, alone }
}

/**
 * Hands messages to delivery, for each receiver of a rule. What two rules tell one receiver is told once.
 */
export const sendErrors = async (
  tx: Transaction,
  rule: ErrorRuleRecord,
  messages: readonly { cause: string; message: ChannelMessage }[],
  nowMs: number,
): Promise<void> => {
  if (messages.length === 0) return
  const receivers = (await findReceivers(tx, [rule.accountId])).filter((each) =>
    isReceiver(rule, each),
  )
  const drafts: DeliveryDraft[] = []
  for (const receiver of receivers) {
    const address = await findAddress(tx, receiver)
    if (address === null) continue
    for (const each of messages) drafts.push(draftOf(receiver, address, each, nowMs))
  }
  await insertDeliveries(tx, drafts, nowMs)
}

const isReceiver = (rule: ErrorRuleRecord, { id, kind }: Receiver): boolean =>
  kind === 'mail' ? rule.emailUsers : rule.channelIds === null || rule.channelIds.includes(id)

const draftOf = (
  { id, accountId, kind }: Receiver,
  address: string,
  { cause, message }: { cause: string; message: ChannelMessage },
  nowMs: number,
): DeliveryDraft => {
  const shared = { accountId, cause: `${cause}:${id}`, expiresAtMs: nowMs + expiresMs }
  return kind === 'channel'
    ? { ...shared, kind, channelId: id, message }
    : { ...shared, kind, recipient: address, message: composeAlertMail(message) }
}
