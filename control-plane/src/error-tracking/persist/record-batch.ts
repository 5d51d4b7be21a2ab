import { wantedMaps } from '../events/source-maps/allotted-maps.ts'
import { recordErrorBatch } from './error-batches-store.ts'
import type { ErrorBatch, RecordedErrorBatch } from './error-batches-store.ts'
import { isRejectedByPostgres, isTaken } from '../../stores/postgres/rejected.ts'
import { admit } from './admit.ts'
import type { BatchContents } from './batch-contents.ts'
import type { PersistContext } from './context.ts'

type RecordContext = Pick<PersistContext, 'sql' | 'lease' | 'tiers' | 'metrics' | 'log' | 'retry'>

/**
 * Decides about a batch and records it. Where Postgres refuses it for what is in it, what it refuses is
 * found by halves: such an event is decided `store`, and what can be kept neither as poison is said.
 * @returns null where the lease is gone
 */
export const recordBatch = async (
  context: RecordContext,
  batch: ErrorBatch,
  { events, poison }: Pick<BatchContents, 'events' | 'poison'>,
): Promise<RecordedErrorBatch | null> => {
  const { sql, lease, tiers, metrics, log } = context
  const arrivals = events.map(({ projectId, eventId, receivedAt }) => ({
    projectId,
    eventId,
    receivedAtMs: receivedAt,
  }))
  const wanted = wantedMaps(events)
  const items = [...arrivals.keys(), ...poison]
  const record = (taken: ReadonlySet<(typeof items)[number]>, isRehearsal: boolean) => {
    const asked = {
      arrivals,
      refused: new Set([...arrivals.keys()].filter((at) => !taken.has(at))),
      poison: poison.filter((one) => taken.has(one)),
      wantedMaps: wanted,
      quotaOf: (tier: keyof typeof tiers) => tiers[tier].errorEventsPerMonth,
    }
    return recordErrorBatch(sql, lease, batch, asked, isRehearsal)
  }
  const all = new Set(items)
  try {
    return await context.retry('postgres', () => record(all, false))
  } catch (error) {
    if (!isRejectedByPostgres(error)) throw error
    const { partition, token } = batch
    log.error({ err: error, partition, token }, 'postgres refuses a batch of error events')
  }
  const taken = await admit(items, (some) =>
    context.retry('postgres', () => isTaken(() => record(new Set(some), true))),
  )
  metrics.refused.inc({ store: 'postgres' }, items.length - taken.size)
  return context.retry('postgres', () => record(taken, false))
}
