import { type ClickHouse } from '@probe-mesh/control-plane/src/stores/clickhouse/connect'
import { countSpan, type SpanCount } from '../issues/occurrence-counts-query.ts'
import { baselineOf, isSpike, nextSpikeStep, spikeSpan } from './spike.ts'
import type { ErrorRuleRecord } from './error-rule.ts'
import { type Transaction } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import { findNoticeSubjects } from './error-notices-store.ts'
import { claimSpikeRule, updateBound, updateCheckedAt, type LockedErrorRule } from './error-rules-store.ts'
import {
  endSpike,
  findCountedIssues,
  findCountedProjects,
  findOpenSpikes,
  insertSpike,
  extendSpikes,
  type OpenSpikeRecord,
  type SpikeSubject,
} from './error-spikes-store.ts'
import { transact } from '@probe-mesh/control-plane/src/stores/postgres/transact'
import type { AlertContext } from '@probe-mesh/control-plane/src/alerts/context'
import { composeErrorMessage } from './error-message.ts'
import { sendToReceivers } from '@probe-mesh/control-plane/src/alerts/receivers'
import { sendNotices, type ComposableNotice } from './process-error-notices.ts'
import { isStoreRefusing } from '@probe-mesh/control-plane/src/stores/store-fault'

/** Projects or issues of one rule that are checked, those with most events. */
const subjectsMax = 100
const queryMsMax = 10_000

export type SpikeContext = AlertContext & { readonly clickhouse: ClickHouse }

/**
 * Checks the next rule that is not checked up to `untilMs`, for the span that ends there. One transaction,
 * with the rule locked, contains all changes of its spikes, the messages and the time of the check.
 * @returns the rule's id; null if all rules are checked
 * @throws errors of Postgres and ClickHouse. The rule is checked again: immediately if a database was
 * unavailable, else a minute later.
 */
export const checkNextSpikeRule = async (context: SpikeContext, untilMs: number): Promise<string | null> => {
  let ruleId: string | undefined
  try {
    return await transact(context.sql, async (tx) => {
      const locked = await claimSpikeRule(tx, untilMs)
      if (locked === null) return null
      ruleId = locked.rule.id
      await checkRule(context, tx, locked, untilMs)
      return ruleId
    })
  } catch (error) {
    // a rule whose check fails must not block the other rules: it is checked again in a minute
    const isRuleFault = !isStoreRefusing(error)
    if (isRuleFault && ruleId !== undefined) await updateCheckedAt(context.sql, ruleId, untilMs)
    throw error
  }
}

const checkRule = async (
  context: SpikeContext,
  tx: Transaction,
  locked: LockedErrorRule,
  untilMs: number,
): Promise<void> => {
  const { rule } = locked
  const open = await findOpenSpikes(tx, rule.id)
  const found = await findSpikes(context, tx, rule, untilMs)
  const begun = await updateOpenSpikes(context, tx, rule, { open, found, untilMs })
  const subjectOf = await findNoticeSubjects(tx, begun)
  const notices = begun.flatMap((spike): ComposableNotice[] => {
    const subject = subjectOf(spike)
    return subject === null ? [] : [noticeOf(rule, spike, subject, untilMs)]
  })
  const nowMs = context.now()
  const { bound, singles } = await sendNotices(context, tx, locked, notices, nowMs)
  for (const { projectId, issueId } of begun) {
    const spike = { projectId, issueId, accountId: rule.accountId, ruleId: rule.id }
    const cause = causeOf(rule, { projectId, issueId }, untilMs)
    await insertSpike(tx, { ...spike, atMs: untilMs, isNotified: singles.has(cause) })
  }
  await updateBound(tx, rule.id, bound)
  await updateCheckedAt(tx, rule.id, untilMs)
}

type FoundSpike = SpanCount & { baseline: number | null }

/** Projects or issues with a spike in the span. */
const findSpikes = async (
  { clickhouse }: SpikeContext,
  tx: Transaction,
  rule: ErrorRuleRecord,
  untilMs: number,
): Promise<FoundSpike[]> => {
  const { spike } = rule
  const projects = await findCountedProjects(tx, rule.accountId, rule.projectIds)
  const span = spikeSpan(spike, untilMs)
  const query = { ...spike, ...span, projectIds: [...projects.keys()], limit: subjectsMax }
  const counts = await countSpan(clickhouse, query, AbortSignal.timeout(queryMsMax))
  const issueIds = counts.flatMap(({ issueId }) => issueId ?? [])
  const issues = await findCountedIssues(tx, issueIds)
  return counts.flatMap((count) => {
    const knownSinceMs = count.issueId === null ? projects.get(count.projectId) : issues.get(count.issueId)
    if (knownSinceMs === undefined) return []
    const baseline = baselineOf({ before: count.before, knownSinceMs }, span)
    return isSpike(spike, count.span, baseline) ? [{ ...count, baseline }] : []
  })
}

const keyOf = ({ projectId, issueId }: SpikeSubject): string => issueId ?? projectId

/** Extends or ends the open spikes. @returns the spikes that begin with this span */
const updateOpenSpikes = async (
  context: SpikeContext,
  tx: Transaction,
  rule: ErrorRuleRecord,
  check: { open: readonly OpenSpikeRecord[]; found: readonly FoundSpike[]; untilMs: number },
): Promise<FoundSpike[]> => {
  const { open, found, untilMs } = check
  const met = new Set(found.map(keyOf))
  const stepOf = (spike: OpenSpikeRecord) => nextSpikeStep(spike, met.has(keyOf(spike)), rule.spike, untilMs)
  const steps = open.map((spike) => ({ spike, step: stepOf(spike) }))
  const continuing = steps.flatMap(({ spike, step }) => (step === 'continues' ? spike.id : []))
  await extendSpikes(tx, continuing, untilMs)
  const ended = steps.flatMap(({ spike, step }) => (step === 'ends' ? spike : []))
  const subjectOf = await findNoticeSubjects(tx, ended)
  for (const spike of ended) {
    await endSpike(tx, spike.id, untilMs)
    const subject = subjectOf(spike)
    // a spike without a message about its start has none about its end
    if (subject === null || !spike.isNotified) continue
    const details = { atMs: untilMs, lastedMs: spike.lastMetAtMs - spike.beganAtMs + spanMs(rule) }
    const by = { ruleName: rule.name, publicUrl: context.publicUrl }
    const message = composeErrorMessage({ kind: 'spike' }, subject, details, by)
    const cause = `${causeOf(rule, spike, spike.beganAtMs)}:over`
    await sendToReceivers(context, tx, rule, [{ cause, message }], context.now())
  }
  const known = new Set(open.map(keyOf))
  return found.filter((spike) => !known.has(keyOf(spike)))
}

const spanMs = ({ spike }: Pick<ErrorRuleRecord, 'spike'>): number => spike.spanMinutes * 60_000

/** Includes the rule, because rules have different criteria and each sends its own message. */
const causeOf = ({ id }: { id: string }, subject: SpikeSubject, atMs: number): string =>
  `error:spike:${id}:${keyOf(subject)}:${atMs}`

const noticeOf = (
  rule: ErrorRuleRecord,
  { projectId, issueId, span, baseline }: FoundSpike,
  subject: ComposableNotice['subject'],
  untilMs: number,
): ComposableNotice => ({
  notice: { kind: 'spike', projectId, issueId },
  cause: causeOf(rule, { projectId, issueId }, untilMs),
  subject,
  details: {
    atMs: untilMs,
    counted: { events: span, spanMinutes: rule.spike.spanMinutes, baseline },
  },
})
