import type { StreamMessage } from '@probe-mesh/bus/port'
import type { BatchOutcome } from '../events/batch-changes.ts'
import { errorIssueIdOf } from '../events/issue.ts'
import type { RecordedErrorBatch, ErrorBatch } from './error-batches-store.ts'
import { contentsOf, newBatch } from './batch-contents.ts'
import type { BatchContents } from './batch-contents.ts'
import type { PersistContext } from './context.ts'
import { finishBatch } from './finish-batch.ts'
import { insertBatch } from './insert-batch.ts'
import { resolveEvents } from './resolve-events.ts'
import type { TallyMessage } from '../events/errors-message.ts'
import { findKnownEventIds, recordErrorBatch } from './error-batches-store.ts'
import { wantedMaps } from '../events/allotted-maps.ts'
import { isRejectedByPostgres, isAccepted } from '../../stores/postgres/rejected.ts'
import { findAccepted } from './find-accepted.ts'

type RecordContext = Pick<PersistContext, 'sql' | 'lease' | 'tiers' | 'metrics' | 'log' | 'retry'>

/**
 * Decides about a batch and records it. Where Postgres refuses it for what is in it, what it refuses is
 * found by halves: such an event is decided `store`, and what can be kept neither as poison is said.
 * @returns null where the lease is gone
 */
const recordBatch = async (
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
    log.error({ err: error, partition, token }, 'postgres rejects a batch of error events')
  }
  const taken = await findAccepted(items, (some) =>
    context.retry('postgres', () => isAccepted(() => record(new Set(some), true))),
  )
  metrics.refused.inc({ store: 'postgres' }, items.length - taken.size)
  return context.retry('postgres', () => record(taken, false))
}

/**
 * What became of events whose publication failed long ago: one whose id was taken is counted by what became
 * of that, and any other is a drop, `store`. Asked once the batch is recorded, so that an event of the
 * same batch is known.
 * @returns the tallies without doubts
 */
const resolveUnconfirmed = async (
  { sql, retry }: Pick<PersistContext, 'sql' | 'retry'>,
  tallies: readonly TallyMessage[],
): Promise<TallyMessage[]> => {
  const doubted = tallies.flatMap(({ projectId, doubted: ids = [] }) =>
    ids.map((eventId) => ({ projectId, eventId })),
  )
  const taken =
    doubted.length === 0 ? new Set<string>() : await retry('postgres', () => findKnownEventIds(sql, doubted))
  return tallies.map(({ doubted: ids = [], ...tally }) => {
    const lost = ids.filter((id) => !taken.has(`${tally.projectId} ${id}`)).length
    const { store = 0 } = tally.drops
    return lost === 0 ? tally : { ...tally, drops: { ...tally.drops, store: store + lost } }
  })
}

/** How long occurrences are kept, whatever the tier. */
const occurrenceDaysMax = 90

/**
 * Stores messages exactly once: decides about each event and records that, inserts the occurrences, and
 * writes the counts, the issues and the watermark in one transaction. Killed anywhere in between,
 * `repeatBatch` goes on from the record with the same decisions.
 * @param messages at least one, in order, none of them counted
 * @returns false where the lease is gone: then whoever has it now goes on
 */
export const storeBatch = async (
  context: PersistContext,
  messages: readonly StreamMessage[],
): Promise<boolean> => {
  const { lease, now, metrics } = context
  const finished = metrics.batchSeconds.startTimer()
  const contents = await contentsOf(messages, now(), context.setAside)
  const batch = newBatch(lease.partition, messages, now())
  context.begins(messages[0]?.storedAt ?? now())
  await context.onStep('fetched')
  const poison = context.poison.keep(contents.poison)
  const recorded = await recordBatch(context, batch, { ...contents, poison })
  if (recorded === null) return false
  await context.onStep('recorded')
  const done = await completeBatch(context, recorded, contents, false)
  finished()
  return done
}

/**
 * What follows the record.
 * @param tried whether the occurrences may have been inserted before
 */
export const completeBatch = async (
  context: PersistContext,
  recorded: RecordedErrorBatch,
  { events: received, tallies }: BatchContents,
  tried: boolean,
): Promise<boolean> => {
  const { batch, decisions, sourceMaps } = recorded
  const events = await resolveEvents(context, received, sourceMaps)
  const decided = events.map((event, position) => {
    const outcome: BatchOutcome = decisions.get(position) ?? 'stored'
    const issueId = errorIssueIdOf(event.projectId, event.grouping)
    return { event, outcome, issueId, keepDays: occurrenceDaysMax }
  })
  const rows = decided.filter(({ outcome }) => outcome === 'stored')
  const refused: ReadonlySet<unknown> = await insertBatch(context, rows, batch.token, tried)
  await context.onStep('inserted')
  const outcomes = decided.map((row) => (refused.has(row) ? { ...row, outcome: 'store' as const } : row))
  const settled = await resolveUnconfirmed(context, tallies)
  const changes = await finishBatch(context, batch, outcomes, settled)
  if (changes === null) return false
  context.ends()
  for (const { outcome, events: count } of changes.counts) {
    context.metrics.events.inc({ outcome }, count)
  }
  await context.onStep('counted')
  await context.consumer.acknowledge(batch.last)
  await context.onStep('acknowledged')
  return true
}
