import { composeErrorMessage } from '../events/alert/error-message.ts'
import type { NewsDetails, NewsSubject } from '../events/alert/error-message.ts'
import type { ErrorNews, ErrorRuleRecord } from '../events/alert/error-rule.ts'
import { admit } from '../events/alert/hour-bound.ts'
import type { HourBound } from '../events/alert/hour-bound.ts'
import type { ChannelMessage } from '../../notifications/message.ts'
import type { Transaction } from '../../stores/postgres/connect.ts'
import type { AlertContext } from '../../alerts/context.ts'
import { sendToReceivers } from '../../alerts/receivers.ts'

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
  await sendToReceivers(tx, rule, messages, nowMs)
  return { bound: left, alone }
}
