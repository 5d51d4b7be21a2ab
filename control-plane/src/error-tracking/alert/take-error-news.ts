import { isTelling } from './error-rule.ts'
import { composeGathered, composeErrorMessage } from './error-message.ts'
import { released, admit } from './hour-bound.ts'
import { postponeFlipRow } from '../../alerts/alert-flips-store.ts'
import { isPostgresUnavailable } from '../../stores/postgres/connect.ts'
import type { Transaction } from '../../stores/postgres/connect.ts'
import { claimErrorCall, findNewsSubjects } from './error-news-store.ts'
import type { IssueNews } from './error-news-store.ts'
import { claimWaitingRule, holdErrorRules, writeBound } from './error-rules-store.ts'
import { finishOutbox } from '../../stores/outbox-store.ts'
import { transact } from '../../stores/postgres/transact.ts'
import type { AlertContext } from '../../alerts/context.ts'
import { sendToReceivers } from '../../alerts/receivers.ts'
import type { NewsDetails, NewsSubject } from './error-message.ts'
import type { ErrorNews } from './hour-bound.ts'
import type { ErrorRuleRecord } from './error-rule.ts'
import type { HourBound } from './hour-bound.ts'
import type { ChannelMessage } from '../../notifications/channels/message.ts'

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

/** What cannot be taken is put aside for so long. */
const asideMs = 60_000

/**
 * Takes the news of one batch of error events: what rules tell of them, what waits, and that they are
 * taken, are there together or not at all. However many look and whenever one dies, each is told once.
 * @returns how many calls were looked at, one or none
 */
export const takeErrorNews = async (context: AlertContext): Promise<number> => {
  let outboxId: string | undefined
  try {
    return await transact(context.sql, async (tx) => {
      const nowMs = context.now()
      const call = await claimErrorCall(tx, nowMs)
      if (call === null) return 0
      outboxId = call.outboxId
      await tellNews(context, tx, call, nowMs)
      await finishOutbox(tx, [call.outboxId], nowMs)
      return 1
    })
  } catch (error) {
    const id = outboxId
    if (isPostgresUnavailable(error) || id === undefined) throw error
    context.metrics.postponed.inc()
    context.log.error({ err: error, outboxId: id }, 'error notifications cannot be processed; deferred')
    const nowMs = context.now()
    const aside = { nowMs, untilMs: nowMs + asideMs }
    await transact(context.sql, (tx) => postponeFlipRow(tx, { outboxId: id }, aside))
    return 1
  }
}

const tellNews = async (
  context: AlertContext,
  tx: Transaction,
  { accountId, news }: { accountId: string; news: readonly IssueNews[] },
  nowMs: number,
): Promise<void> => {
  const subjectOf = await findNewsSubjects(tx, news)
  // what was deleted meanwhile is nobody's concern
  const told = news.flatMap((each): ToldNews[] => {
    const subject = subjectOf(each)
    return subject === null ? [] : [toldOf(each, subject)]
  })
  for (const held of await holdErrorRules(tx, accountId)) {
    const ofRule = told.filter(({ news }) => isTelling(held.rule, news))
    if (ofRule.length === 0) continue
    const { bound } = await tellErrors(context, tx, held, ofRule, nowMs)
    await writeBound(tx, held.rule.id, bound)
  }
}

const toldOf = (
  { kind, projectId, issueId, atMs, releases }: IssueNews,
  subject: ToldNews['subject'],
): ToldNews => ({
  news: { kind, projectId, issueId },
  // an issue is new once, and may come back often
  cause: ['error', kind, issueId, ...(kind === 'new_issue' ? [] : [atMs])].join(':'),
  subject,
  details: { atMs, releases },
})

/**
 * Tells what was beyond the bound of a rule's hour, in one message, when that hour is over.
 * @returns how many rules there were, one or none
 */
export const tellWaitingErrors = (context: AlertContext): Promise<number> =>
  transact(context.sql, async (tx) => {
    const nowMs = context.now()
    const held = await claimWaitingRule(tx, nowMs)
    if (held === null) return 0
    const { rule, bound } = held
    // what waits of a rule that is off is told to nobody
    if (rule.enabled) {
      const subjectOf = await findNewsSubjects(tx, bound.waiting?.first ?? [])
      const by = { ruleId: rule.id, ruleName: rule.name, publicUrl: context.publicUrl, nowMs }
      const cause = `error:gathered:${rule.id}:${bound.hourAtMs ?? 0}`
      const message = composeGathered(bound, subjectOf, by)
      await sendToReceivers(tx, rule, [{ cause, message }], nowMs)
    }
    await writeBound(tx, rule.id, released(nowMs))
    return 1
  })
