import type { StreamMessage } from '@probe-mesh/bus/port'
import type { BatchOutcome } from '../events/batch-changes.ts'
import { errorIssueIdOf } from '../events/issue-id.ts'
import type { RecordedErrorBatch } from './error-batches-store.ts'
import { contentsOf, newBatch } from './batch-contents.ts'
import type { BatchContents } from './batch-contents.ts'
import type { PersistContext } from './context.ts'
import { finishBatch } from './finish-batch.ts'
import { insertBatch } from './insert-batch.ts'
import { recordBatch } from './record-batch.ts'
import { resolveEvents } from './resolve-events.ts'
import { settleDoubts } from './settle-doubts.ts'

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
  const outcomes = decided.map((row) =>
    refused.has(row) ? { ...row, outcome: 'store' as const } : row,
  )
  const settled = await settleDoubts(context, tallies)
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
