import { isClickHouseUnavailable } from '../../stores/clickhouse/connect.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { countSpan } from '../issues/occurrence-counts-query.ts'
import type { SpanCount } from '../issues/occurrence-counts-query.ts'
import { followSpike, isSpike, spikeSpan, usualOf } from './spike.ts'
import type { ErrorRuleRecord } from './error-rule.ts'
import { isPostgresUnavailable } from '../../stores/postgres/connect.ts'
import type { Transaction } from '../../stores/postgres/connect.ts'
import { findNewsSubjects } from './error-news-store.ts'
import { claimSpikeRule, writeBound, writeLookedAt } from './error-rules-store.ts'
import type { HeldErrorRule } from './error-rules-store.ts'
import {
  endSpike,
  findCountedIssues,
  findCountedProjects,
  findOpenSpikes,
  insertSpike,
  keepSpikes,
} from './error-spikes-store.ts'
import type { OpenSpikeRecord, SpikeSubject } from './error-spikes-store.ts'
import { transact } from '../../stores/postgres/transact.ts'
import type { AlertContext } from '../../alerts/context.ts'
import { composeErrorMessage } from './error-message.ts'
import { sendToReceivers } from '../../alerts/receivers.ts'
import { tellErrors } from './take-error-news.ts'
import type { ToldNews } from './take-error-news.ts'

/** Projects or issues of one rule that may have a spike at once; the largest are looked at. */
const subjectsMax = 100
const answerMsMax = 10_000

export type SpikeContext = AlertContext & { readonly clickhouse: ClickHouse }

/**
 * Looks at the span that ends at `untilMs` for one rule that was not looked at up to there: what begins,
 * what goes on, what is over, what is told of it, and that it was looked at, are one transaction, in
 * which nobody else looks by the rule.
 * @returns the rule's id; null where there was none
 * @throws what the stores throw; the rule is then looked at again, at once where a store was away
 */
export const lookForSpikes = async (context: SpikeContext, untilMs: number): Promise<string | null> => {
  let ruleId: string | undefined
  try {
    return await transact(context.sql, async (tx) => {
      const held = await claimSpikeRule(tx, untilMs)
      if (held === null) return null
      ruleId = held.rule.id
      await look(context, tx, held, untilMs)
      return ruleId
    })
  } catch (error) {
    // a rule that cannot be looked at by itself holds up no other: it is next looked at in a minute
    const isItsOwn = !isPostgresUnavailable(error) && !isClickHouseUnavailable(error)
    if (isItsOwn && ruleId !== undefined) await writeLookedAt(context.sql, ruleId, untilMs)
    throw error
  }
}

const look = async (
  context: SpikeContext,
  tx: Transaction,
  held: HeldErrorRule,
  untilMs: number,
): Promise<void> => {
  const { rule } = held
  const open = await findOpenSpikes(tx, rule.id)
  const found = await findSpikes(context, tx, rule, untilMs)
  const begun = await followOpen(context, tx, rule, { open, found, untilMs })
  const subjectOf = await findNewsSubjects(tx, begun)
  const told = begun.flatMap((spike): ToldNews[] => {
    const subject = subjectOf(spike)
    return subject === null ? [] : [toldOf(rule, spike, subject, untilMs)]
  })
  const nowMs = context.now()
  const { bound, alone } = await tellErrors(context, tx, held, told, nowMs)
  for (const { projectId, issueId } of begun) {
    const spike = { projectId, issueId, accountId: rule.accountId, ruleId: rule.id }
    const cause = causeOf(rule, { projectId, issueId }, untilMs)
    await insertSpike(tx, { ...spike, atMs: untilMs, told: alone.has(cause) })
  }
  await writeBound(tx, rule.id, bound)
  await writeLookedAt(tx, rule.id, untilMs)
}

type FoundSpike = SpanCount & { usual: number | null }

/** What has more events than usual in the span. */
const findSpikes = async (
  { clickhouse }: SpikeContext,
  tx: Transaction,
  rule: ErrorRuleRecord,
  untilMs: number,
): Promise<FoundSpike[]> => {
  const { spike } = rule
  const projects = await findCountedProjects(tx, rule.accountId, rule.projectIds)
  const span = spikeSpan(spike, untilMs)
  const asked = { ...spike, ...span, projectIds: [...projects.keys()], limit: subjectsMax }
  const counts = await countSpan(clickhouse, asked, AbortSignal.timeout(answerMsMax))
  const issueIds = counts.flatMap(({ issueId }) => issueId ?? [])
  const issues = await findCountedIssues(tx, issueIds)
  return counts.flatMap((count) => {
    const knownSinceMs = count.issueId === null ? projects.get(count.projectId) : issues.get(count.issueId)
    if (knownSinceMs === undefined) return []
    const usual = usualOf({ before: count.before, knownSinceMs }, span)
    return isSpike(spike, count.span, usual) ? [{ ...count, usual }] : []
  })
}

const keyOf = ({ projectId, issueId }: SpikeSubject): string => issueId ?? projectId

/** @returns what begins with this span */
const followOpen = async (
  context: SpikeContext,
  tx: Transaction,
  rule: ErrorRuleRecord,
  seen: { open: readonly OpenSpikeRecord[]; found: readonly FoundSpike[]; untilMs: number },
): Promise<FoundSpike[]> => {
  const { open, found, untilMs } = seen
  const met = new Set(found.map(keyOf))
  const stepOf = (spike: OpenSpikeRecord) => followSpike(spike, met.has(keyOf(spike)), rule.spike, untilMs)
  const steps = open.map((spike) => ({ spike, step: stepOf(spike) }))
  const lasting = steps.flatMap(({ spike, step }) => (step === 'goes on' ? spike.id : []))
  await keepSpikes(tx, lasting, untilMs)
  const over = steps.flatMap(({ spike, step }) => (step === 'ends' ? spike : []))
  const subjectOf = await findNewsSubjects(tx, over)
  for (const spike of over) {
    await endSpike(tx, spike.id, untilMs)
    const subject = subjectOf(spike)
    // who was not told that it began is not told that it is over
    if (subject === null || !spike.told) continue
    const details = { atMs: untilMs, lastedMs: spike.lastMetAtMs - spike.beganAtMs + spanMs(rule) }
    const by = { ruleName: rule.name, publicUrl: context.publicUrl }
    const message = composeErrorMessage({ kind: 'spike' }, subject, details, by)
    const cause = `${causeOf(rule, spike, spike.beganAtMs)}:over`
    await sendToReceivers(tx, rule, [{ cause, message }], context.now())
  }
  const known = new Set(open.map(keyOf))
  return found.filter((spike) => !known.has(keyOf(spike)))
}

const spanMs = ({ spike }: Pick<ErrorRuleRecord, 'spike'>): number => spike.spanMinutes * 60_000

/** Rules count differently: what one tells of a spike is not what another does. */
const causeOf = ({ id }: { id: string }, subject: SpikeSubject, atMs: number): string =>
  `error:spike:${id}:${keyOf(subject)}:${atMs}`

const toldOf = (
  rule: ErrorRuleRecord,
  { projectId, issueId, span, usual }: FoundSpike,
  subject: ToldNews['subject'],
  untilMs: number,
): ToldNews => ({
  news: { kind: 'spike', projectId, issueId },
  cause: causeOf(rule, { projectId, issueId }, untilMs),
  subject,
  details: {
    atMs: untilMs,
    counted: { events: span, spanMinutes: rule.spike.spanMinutes, usual },
  },
})
