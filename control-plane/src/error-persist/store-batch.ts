import type { StreamMessage } from '@probe-mesh/bus/port'
import { batchChanges } from '../error-tracking/batch-changes.ts'
import type { BatchOutcome } from '../error-tracking/batch-changes.ts'
import { errorIssueIdOf } from '../error-tracking/issue-id.ts'
import { wantedMaps } from '../error-tracking/source-maps/allotted-maps.ts'
import { recordErrorBatch } from '../postgres/error-batches.ts'
import type { RecordedErrorBatch } from '../postgres/error-batches.ts'
import { finishErrorBatch } from '../postgres/finish-error-batch.ts'
import { contentsOf, newBatch } from './batch-contents.ts'
import type { BatchContents } from './batch-contents.ts'
import type { PersistContext } from './context.ts'
import { insertBatch } from './insert-batch.ts'
import { resolveEvents } from './resolve-events.ts'

/** How long occurrences are kept, whatever the tier. */
export const occurrenceDaysMax = 90

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
  const { sql, lease, tiers, now, metrics } = context
  const finished = metrics.batchSeconds.startTimer()
  const contents = contentsOf(messages, now())
  const batch = newBatch(lease.partition, messages, now())
  await context.onStep('fetched')
  const recorded = await context.retry('postgres', () =>
    recordErrorBatch(sql, lease, batch, {
      arrivals: contents.events.map(({ projectId, eventId, receivedAt }) => ({
        projectId,
        eventId,
        receivedAtMs: receivedAt,
      })),
      poison: contents.poison,
      wantedMaps: wantedMaps(contents.events),
      quotaOf: (tier) => tiers[tier].errorEventsPerMonth,
    }),
  )
  if (recorded === null) return false
  metrics.poison.inc(contents.poison.length)
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
  const outcomes = decided.map((row) =>
    refused.has(row) ? { ...row, outcome: 'store' as const } : row,
  )
  const changes = batchChanges(outcomes, tallies)
  const { tiers, publicUrl, now } = context
  const reached = await context.retry('postgres', () =>
    finishErrorBatch(context.sql, context.lease, batch, changes, {
      quotaOf: (tier) => tiers[tier].errorEventsPerMonth,
      publicUrl: publicUrl ?? null,
      nowMs: now(),
    }),
  )
  if (reached === null) return false
  for (const one of reached) {
    context.metrics.quotas.inc({ percent: one.percent })
    context.log.warn(one, "an account reached a part of its month's error events")
  }
  for (const { outcome, events: count } of changes.counts) {
    context.metrics.events.inc({ outcome }, count)
  }
  await context.onStep('counted')
  await context.consumer.acknowledge(batch.last)
  await context.onStep('acknowledged')
  return true
}
