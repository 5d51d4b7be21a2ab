import { removeOccurrences } from '../issues/occurrences-query.ts'
import { batchChanges } from '../events/batch-changes.ts'
import type { BatchChanges, BatchOutcome } from '../events/batch-changes.ts'
import type { ErrorEvent } from '../events/error-event.ts'
import type { TallyMessage } from '../events/errors-message.ts'
import type { ErrorBatch } from './error-batches-store.ts'
import { finishErrorBatch } from './finish-error-batch-store.ts'
import { isRejectedByPostgres, isAccepted } from '../../stores/postgres/rejected.ts'
import { findAccepted } from './find-accepted.ts'
import type { PersistContext } from './context.ts'

type FinishContext = Pick<
  PersistContext,
  'sql' | 'clickhouse' | 'lease' | 'tiers' | 'publicUrl' | 'metrics' | 'log' | 'now' | 'retry'
>
type Decided = { event: ErrorEvent; outcome: BatchOutcome }

/**
 * Counts a batch. Where Postgres refuses it for what is in it, what it refuses is found by halves: an
 * event loses its occurrence and is counted as dropped, `store`; of a tally only the part goes that is
 * refused. Killed in between, whoever repeats the batch finds the same.
 * @returns what was counted; null where the lease is gone
 */
export const finishBatch = async (
  context: FinishContext,
  batch: ErrorBatch,
  decided: readonly Decided[],
  tallies: readonly TallyMessage[],
): Promise<BatchChanges | null> => {
  const { sql, lease, tiers, metrics, log } = context
  const terms = {
    quotaOf: (tier: keyof typeof tiers) => tiers[tier].errorEventsPerMonth,
    publicUrl: context.publicUrl ?? null,
    nowMs: context.now(),
  }
  const finish = async (changes: BatchChanges): Promise<BatchChanges | null> => {
    const reached = await context.retry('postgres', () => finishErrorBatch(sql, lease, batch, changes, terms))
    for (const one of reached ?? []) {
      metrics.quotas.inc({ percent: one.percent })
      log.warn(one, 'an account reached a threshold of its monthly error event quota')
    }
    return reached === null ? null : changes
  }
  const isFine = (changes: BatchChanges) =>
    context.retry('postgres', () =>
      isAccepted(() => finishErrorBatch(sql, lease, batch, changes, terms, true)),
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
  const changesOf = (taken: ReadonlySet<Decided | TallyMessage>): BatchChanges =>
    batchChanges(
      decided.map((one) =>
        one.outcome === 'stored' && !taken.has(one) ? { ...one, outcome: 'store' as const } : one,
      ),
      parts.filter((part) => taken.has(part)),
    )
  // sums of drops come first: where only all together are too much, the others go
  const items = [...parts, ...stored]
  const taken = await findAccepted(items, (some) => isFine(changesOf(new Set(some))))
  const refused = items.filter((item) => !taken.has(item))
  metrics.refused.inc({ store: 'postgres' }, refused.length)
  for (const item of refused) {
    const projectId = 'event' in item ? item.event.projectId : item.projectId
    const eventId = 'event' in item ? item.event.eventId : null
    log.error({ projectId, eventId }, 'postgres rejects an error event or a count')
  }
  const events = refused.flatMap((item) => ('event' in item ? [item.event] : []))
  await context.retry('clickhouse', () => removeOccurrences(context.clickhouse, batch.token, events))
  return finish(changesOf(taken))
}

/** What a tally says, as tallies that each say one part of it. */
const partsOf = (tally: TallyMessage): TallyMessage[] => [
  { ...tally, reports: [], unsupported: {} },
  { ...tally, drops: {}, unsupported: {} },
  { ...tally, drops: {}, reports: [] },
]
