import { ruleCovers, type ErrorRuleRecord } from './error-rule.ts'
import {
  composeDigest,
  composeErrorMessage,
  type NoticeDetails,
  type NoticeSubject,
} from './error-message.ts'
import { addNotice, afterDigest, type ErrorNotice, type HourBound } from './hour-bound.ts'
import { postponeFlipRow } from '@probe-mesh/control-plane/src/alerts/alert-flips-store'
import type { Transaction } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import { claimErrorNotices, findNoticeSubjects, type IssueNotice } from './error-notices-store.ts'
import { claimRuleWithDueDigest, lockErrorRules, updateBound } from './error-rules-store.ts'
import { finishOutbox } from '@probe-mesh/control-plane/src/stores/outbox-store'
import { transact } from '@probe-mesh/control-plane/src/stores/postgres/transact'
import type { AlertContext } from '@probe-mesh/control-plane/src/alerts/context'
import { sendToReceivers } from '@probe-mesh/control-plane/src/alerts/receivers'
import type { ChannelMessage } from '@probe-mesh/control-plane/src/notifications/channels/forms/message'
import { isStoreRefusing } from '@probe-mesh/control-plane/src/stores/store-fault'

/**
 * A notice with all that its message needs. Rules of one account with the same `cause` and receiver send it
 * once.
 */
export type ComposableNotice = {
  notice: ErrorNotice
  cause: string
  subject: NoticeSubject
  details: NoticeDetails
}

/**
 * Sends the notices of one rule as single messages within its hourly limit, and adds the rest to its digest.
 * The caller has the rule's state locked.
 * @returns the new state of the limit, and the causes of the single messages
 */
export const sendNotices = async (
  context: Pick<AlertContext, 'publicUrl' | 'tokens' | 'metrics'>,
  tx: Transaction,
  { rule, bound }: { rule: ErrorRuleRecord; bound: HourBound },
  notices: readonly ComposableNotice[],
  nowMs: number,
): Promise<{ bound: HourBound; singles: ReadonlySet<string> }> => {
  const singles = new Set<string>()
  const messages: { cause: string; message: ChannelMessage }[] = []
  let left = bound
  for (const { notice, cause, subject, details } of notices) {
    const step = addNotice(left, notice, nowMs)
    left = step.bound
    context.metrics.errorNotices.inc({ kind: notice.kind, told: step.isSingle ? 'alone' : 'gathered' })
    if (!step.isSingle) continue
    singles.add(cause)
    const by = { ruleName: rule.name, publicUrl: context.publicUrl }
    messages.push({ cause, message: composeErrorMessage(notice, subject, details, by) })
  }
  await sendToReceivers(context, tx, rule, messages, nowMs)
  return { bound: left, singles }
}

/** The delay before failed notices are processed again. */
const retryAfterMs = 60_000

/**
 * Processes the notices of one batch of error events. Messages, waiting notices and the processed mark are
 * one transaction, so that each notice is sent once with several control planes and after a crash.
 * @returns the number of processed outbox rows: 1 or 0
 */
export const processErrorNotices = async (context: AlertContext): Promise<number> => {
  let outboxId: string | undefined
  try {
    return await transact(context.sql, async (tx) => {
      const nowMs = context.now()
      const row = await claimErrorNotices(tx, nowMs)
      if (row === null) return 0
      outboxId = row.outboxId
      await notifyRules(context, tx, row, nowMs)
      await finishOutbox(tx, [row.outboxId], nowMs)
      return 1
    })
  } catch (error) {
    const id = outboxId
    if (isStoreRefusing(error) || id === undefined) throw error
    context.metrics.postponed.inc()
    context.log.error({ err: error, outboxId: id }, 'error notifications cannot be processed; deferred')
    const nowMs = context.now()
    const postponed = { nowMs, untilMs: nowMs + retryAfterMs }
    await transact(context.sql, (tx) => postponeFlipRow(tx, { outboxId: id }, postponed))
    return 1
  }
}

const notifyRules = async (
  context: AlertContext,
  tx: Transaction,
  { accountId, notices }: { accountId: string; notices: readonly IssueNotice[] },
  nowMs: number,
): Promise<void> => {
  const subjectOf = await findNoticeSubjects(tx, notices)
  // deleted issues are skipped
  const composable = notices.flatMap((each): ComposableNotice[] => {
    const subject = subjectOf(each)
    return subject === null ? [] : [composableOf(each, subject)]
  })
  for (const locked of await lockErrorRules(tx, accountId)) {
    const ofRule = composable.filter(({ notice }) => ruleCovers(locked.rule, notice))
    if (ofRule.length === 0) continue
    const { bound } = await sendNotices(context, tx, locked, ofRule, nowMs)
    await updateBound(tx, locked.rule.id, bound)
  }
}

const composableOf = (
  { kind, projectId, issueId, atMs, releases }: IssueNotice,
  subject: ComposableNotice['subject'],
): ComposableNotice => ({
  notice: { kind, projectId, issueId },
  // an issue is new once, but can regress many times
  cause: ['error', kind, issueId, ...(kind === 'new_issue' ? [] : [atMs])].join(':'),
  subject,
  details: { atMs, releases },
})

/**
 * Sends the digest of one rule whose hour is over: one message for all notices beyond the hourly limit.
 * @returns the number of processed rules: 1 or 0
 */
export const sendDueDigest = (context: AlertContext): Promise<number> =>
  transact(context.sql, async (tx) => {
    const nowMs = context.now()
    const locked = await claimRuleWithDueDigest(tx, nowMs)
    if (locked === null) return 0
    const { rule, bound } = locked
    // a disabled rule drops its waiting notices
    if (rule.enabled) {
      const subjectOf = await findNoticeSubjects(tx, bound.waiting?.first ?? [])
      const by = { ruleId: rule.id, ruleName: rule.name, publicUrl: context.publicUrl, nowMs }
      const cause = `error:gathered:${rule.id}:${bound.hourAtMs ?? 0}`
      const message = composeDigest(bound, subjectOf, by)
      await sendToReceivers(context, tx, rule, [{ cause, message }], nowMs)
    }
    await updateBound(tx, rule.id, afterDigest(nowMs))
    return 1
  })
