import { removeOccurrences } from '../issues/occurrences-query.ts'
import { batchChanges, type BatchChanges, type BatchOutcome } from '../events/batch-changes.ts'
import type { ErrorEvent } from '../events/error-event.ts'
import type { TallyMessage } from '../events/errors-message.ts'
import type { ErrorBatch } from './error-batches-store.ts'
import { finishErrorBatch } from './finish-error-batch-store.ts'
import { isRejectedByPostgres, isAccepted } from '@probe-mesh/control-plane/src/stores/postgres/rejected'
import { findAccepted } from './find-accepted.ts'
import type { PersistContext } from './context.ts'

type FinishContext = Pick<
  PersistContext,
  'sql' | 'clickhouse' | 'lease' | 'tiers' | 'publicUrl' | 'metrics' | 'log' | 'now' | 'retry'
>
type Decided = { event: ErrorEvent; outcome: BatchOutcome }

/**
 * Counts a batch. If Postgres rejects its content, bisection finds the rejected parts: a rejected event loses
 * its occurrence and counts as dropped (`store`); a rejected part of a tally is skipped. A replay after a
 * crash has the same result.
 * @returns the counted changes; null if the lease is lost
 */
export const finishBatch = async (
  context: FinishContext,
  batch: ErrorBatch,
  decided: readonly Decided[],
  tallies: readonly TallyMessage[],
): Promise<BatchChanges | null> => {
  const { sql, lease, tiers, metrics, log } = context
  const options = {
    quotaOf: (tier: keyof typeof tiers) => tiers[tier].errorEventsPerMonth,
    publicUrl: context.publicUrl ?? null,
    nowMs: context.now(),
  }
  const finish = async (changes: BatchChanges): Promise<BatchChanges | null> => {
    const reached = await context.retry('postgres', () =>
      finishErrorBatch(sql, lease, batch, changes, options),
    )
    for (const one of reached ?? []) {
      metrics.quotas.inc({ percent: one.percent })
      log.warn(one, 'an account reached a threshold of its monthly error event quota')
    }
    return reached === null ? null : changes
  }
  const accepts = (changes: BatchChanges) =>
    context.retry('postgres', () =>
      isAccepted(() => finishErrorBatch(sql, lease, batch, changes, options, true)),
    )
  const whole = batchChanges(decided, tallies)
  try {
    return await finish(whole)
  } catch (error) {
    if (!isRejectedByPostgres(error)) throw error
    const { partition, token } = batch
    log.error({ err: error, partition, token }, 'postgres rejects a batch of error events')
  }
  const stored = decided.filter(({ outcome }) => outcome === 'stored')
  const parts = tallies.flatMap(partsOf)
  const changesOf = (accepted: ReadonlySet<Decided | TallyMessage>): BatchChanges =>
    batchChanges(
      decided.map((one) =>
        one.outcome === 'stored' && !accepted.has(one) ? { ...one, outcome: 'store' as const } : one,
      ),
      parts.filter((part) => accepted.has(part)),
    )
  // drop counts come first, so that they stay if only the whole is too much
  const items = [...parts, ...stored]
  const accepted = await findAccepted(items, (some) => accepts(changesOf(new Set(some))))
  const rejected = items.filter((item) => !accepted.has(item))
  metrics.rejected.inc({ store: 'postgres' }, rejected.length)
  for (const item of rejected) {
    const projectId = 'event' in item ? item.event.projectId : item.projectId
    const eventId = 'event' in item ? item.event.eventId : null
    log.error({ projectId, eventId }, 'postgres rejects an error event or a count')
  }
  const events = rejected.flatMap((item) => ('event' in item ? [item.event] : []))
  await context.retry('clickhouse', () => removeOccurrences(context.clickhouse, batch.token, events))
  return finish(changesOf(accepted))
}

/** Splits a tally into one tally for each of its parts. */
const partsOf = (tally: TallyMessage): TallyMessage[] => [
  { ...tally, reports: [], unsupported: {} },
  { ...tally, drops: {}, unsupported: {} },
  { ...tally, drops: {}, reports: [] },
]
