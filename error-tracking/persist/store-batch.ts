import type { StreamMessage } from '@probe-mesh/bus/port'
import type { BatchOutcome } from '../events/batch-changes.ts'
import { errorIssueIdOf } from '../events/issue.ts'
import {
  findKnownEventIds,
  recordErrorBatch,
  type RecordedErrorBatch,
  type ErrorBatch,
} from './error-batches-store.ts'
import { contentsOf, newBatch, type BatchContents } from './batch-contents.ts'
import type { PersistContext } from './context.ts'
import { finishBatch } from './finish-batch.ts'
import { insertBatch } from './insert-batch.ts'
import { resolveEvents } from './resolve-events.ts'
import type { TallyMessage } from '../events/errors-message.ts'
import { wantedMaps } from '../events/allotted-maps.ts'
import { isRejectedByPostgres, isAccepted } from '@probe-mesh/control-plane/src/stores/postgres/rejected'
import { findAccepted } from './find-accepted.ts'

type RecordContext = Pick<PersistContext, 'sql' | 'lease' | 'tiers' | 'metrics' | 'log' | 'retry'>

/**
 * Decides about a batch and records the decisions. If Postgres rejects its content, bisection finds the
 * rejected parts: a rejected event is dropped as `store`, a rejected poison message is skipped.
 * @returns null if the lease is lost
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
  const record = (accepted: ReadonlySet<(typeof items)[number]>, isRehearsal: boolean) => {
    const contents = {
      arrivals,
      rejected: new Set([...arrivals.keys()].filter((at) => !accepted.has(at))),
      poison: poison.filter((one) => accepted.has(one)),
      wantedMaps: wanted,
      quotaOf: (tier: keyof typeof tiers) => tiers[tier].errorEventsPerMonth,
    }
    return recordErrorBatch(sql, lease, batch, contents, isRehearsal)
  }
  const all = new Set(items)
  try {
    return await context.retry('postgres', () => record(all, false))
  } catch (error) {
    if (!isRejectedByPostgres(error)) throw error
    const { partition, token } = batch
    log.error({ err: error, partition, token }, 'postgres rejects a batch of error events')
  }
  const accepted = await findAccepted(items, (some) =>
    context.retry('postgres', () => isAccepted(() => record(new Set(some), true))),
  )
  metrics.rejected.inc({ store: 'postgres' }, items.length - accepted.size)
  return context.retry('postgres', () => record(accepted, false))
}

/**
 * Resolves unconfirmed events (`doubted`): one with a known id was published and is counted there; any other
 * one is a `store` drop. Runs after the batch is recorded, so that events of the same batch are known.
 * @returns the tallies without `doubted`
 */
const resolveUnconfirmed = async (
  { sql, retry }: Pick<PersistContext, 'sql' | 'retry'>,
  tallies: readonly TallyMessage[],
): Promise<TallyMessage[]> => {
  const unconfirmed = tallies.flatMap(({ projectId, doubted: ids = [] }) =>
    ids.map((eventId) => ({ projectId, eventId })),
  )
  const known =
    unconfirmed.length === 0
      ? new Set<string>()
      : await retry('postgres', () => findKnownEventIds(sql, unconfirmed))
  return tallies.map(({ doubted: ids = [], ...tally }) => {
    const lost = ids.filter((id) => !known.has(`${tally.projectId} ${id}`)).length
    const { store = 0 } = tally.drops
    return lost === 0 ? tally : { ...tally, drops: { ...tally.drops, store: store + lost } }
  })
}

/** Occurrences are stored this long on every tier. */
const occurrenceDaysMax = 90

/**
 * Stores messages exactly once: records a decision about each event, inserts the occurrences, and writes
 * counts, issues and watermark in one transaction. After a crash `replayBatch` continues from the recorded
 * decisions.
 * @param messages at least one, in order, none of them counted
 * @returns false if the lease is lost: the new owner continues
 */
export const storeBatch = async (
  context: PersistContext,
  messages: readonly StreamMessage[],
): Promise<boolean> => {
  const { lease, now, metrics } = context
  const finished = metrics.batchSeconds.startTimer()
  const contents = await contentsOf(messages, now(), context.setAside)
  const batch = newBatch(lease.partition, messages, now())
  context.onBatchStart(messages[0]?.storedAt ?? now())
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
 * Completes a recorded batch.
 * @param tried whether an earlier insert of the occurrences is possible
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
  const rejected: ReadonlySet<unknown> = await insertBatch(context, rows, batch.token, tried)
  await context.onStep('inserted')
  const outcomes = decided.map((row) => (rejected.has(row) ? { ...row, outcome: 'store' as const } : row))
  const resolved = await resolveUnconfirmed(context, tallies)
  const changes = await finishBatch(context, batch, outcomes, resolved)
  if (changes === null) return false
  context.onBatchEnd()
  for (const { outcome, events: count } of changes.counts) {
    context.metrics.events.inc({ outcome }, count)
  }
  await context.onStep('counted')
  await context.consumer.acknowledge(batch.last)
  await context.onStep('acknowledged')
  return true
}
