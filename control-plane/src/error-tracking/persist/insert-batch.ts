import { randomUUID } from 'node:crypto'
import { isRejectedByClickHouse } from '../../stores/clickhouse/connect.ts'
import { insertOccurrenceParts, occurrencesByShard } from './insert-occurrences.ts'
import type { OccurrenceRow } from './insert-occurrences.ts'
import { findStoredIds } from '../issues/occurrences-query.ts'
import { runningInsertsEnded } from '../../stores/clickhouse/running-inserts.ts'
import type { Shard } from '../../stores/clickhouse/shard.ts'
import type { PersistContext } from './context.ts'

/** Further tokens for a batch whose own the store remembers without the rows. */
const furtherTokensMax = 8

type InsertContext = Pick<PersistContext, 'clickhouse' | 'metrics' | 'log' | 'retry'>

/**
 * Stores the occurrences of a batch, each once, each shard's by themselves. The first try is one statement; of what was
 * tried before nobody knows the outcome, so that it is asked what is missing. The token alone does not say:
 * a server that is killed may keep it without the rows, unless its tables are replicated.
 * @param tried whether somebody may have tried before
 * @returns those that the store refuses for what they are
 */
export const insertBatch = async (
  context: InsertContext,
  rows: readonly OccurrenceRow[],
  batch: string,
  tried: boolean,
): Promise<Set<OccurrenceRow>> => {
  if (rows.length === 0) return new Set()
  const places = tried ? await placesOf(context, rows, batch) : null
  const parts = occurrencesByShard(context.clickhouse, rows, (row) => places?.get(idOf(row)))
  const outcomes = await Promise.allSettled(
    parts.map(({ shard, rows }) => insertShard({ ...context, shard }, rows, batch, tried)),
  )
  const refused = new Set<OccurrenceRow>()
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') throw outcome.reason
    for (const row of outcome.value) refused.add(row)
  }
  return refused
}

/** On which shard rows are already: not their owner's, where one was added since they were inserted. */
const placesOf = async (
  { clickhouse: { shards }, retry }: InsertContext,
  rows: readonly OccurrenceRow[],
  batch: string,
): Promise<Map<string, number>> => {
  const places = new Map<string, number>()
  if (shards.length === 1) return places
  const projects = rows.map(({ event }) => event.projectId)
  for (const [place, shard] of shards.entries()) {
    const stored = await retry('clickhouse', () => findStoredIds(shard, batch, projects))
    for (const id of stored) places.set(id, place)
  }
  return places
}

const idOf = ({ event }: OccurrenceRow): string => `${event.projectId} ${event.eventId}`

type ShardContext = InsertContext & { shard: Shard }

const insertShard = async (
  context: ShardContext,
  rows: readonly OccurrenceRow[],
  batch: string,
  tried: boolean,
): Promise<Set<OccurrenceRow>> => {
  let unknown = tried
  try {
    await context.retry('clickhouse', () => {
      const settling = unknown
      unknown = true
      return settling
        ? settle(context, rows, batch)
        : insertOccurrenceParts([{ shard: context.shard, rows }], { batch, token: batch })
    })
    return new Set()
  } catch (error) {
    if (!isRejectedByClickHouse(error)) throw error
    return insertParts(context, rows, batch)
  }
}

const settle = async (
  context: ShardContext,
  rows: readonly OccurrenceRow[],
  batch: string,
): Promise<void> => {
  const { shard } = context
  if (context.clickhouse.isReplicated) {
    return insertOccurrenceParts([{ shard, rows }], { batch, token: batch })
  }
  let missing = await findMissing(context, rows, batch)
  // under the batch's own token first: an earlier try may be on its way to the server still
  for (let further = 0; missing.length > 0; further++) {
    if (further > furtherTokensMax) throw new Error(`batch ${batch} cannot be stored`)
    if (further > 0) {
      context.metrics.repairs.inc()
      context.log.warn({ batch, further, rows: missing.length }, 'clickhouse dropped occurrences')
    }
    const token = further === 0 ? batch : `${batch}-${further}`
    await insertOccurrenceParts([{ shard, rows: missing }], { batch, token })
    missing = await findMissing(context, missing, batch)
  }
}

const findMissing = async (
  { shard }: ShardContext,
  rows: readonly OccurrenceRow[],
  batch: string,
): Promise<OccurrenceRow[]> => {
  await shard.use((replica) => runningInsertsEnded(replica, 'error_occurrences'))
  const projects = rows.map(({ event }) => event.projectId)
  const stored = await findStoredIds(shard, batch, projects)
  return rows.filter((row) => !stored.has(idOf(row)))
}

/**
 * A shard refused its part whole: by halves, so that only those are lost that it cannot take. Where tables are
 * replicated, each half has the token of its place, under which it may be tried again and again; elsewhere each try has
 * one of its own, and after one whose outcome is unknown it is asked what is missing.
 */
const insertParts = async (
  context: ShardContext,
  rows: readonly OccurrenceRow[],
  batch: string,
  place = '',
): Promise<Set<OccurrenceRow>> => {
  const { shard } = context
  const { isReplicated } = context.clickhouse
  const missing = isReplicated
    ? rows
    : await context.retry('clickhouse', () => findMissing(context, rows, batch))
  if (missing.length === 0) return new Set()
  let unknown = false
  try {
    await context.retry('clickhouse', async () => {
      const left = unknown && !isReplicated ? await findMissing(context, missing, batch) : missing
      unknown = true
      const token = `${batch}:${isReplicated ? place : randomUUID()}`
      await insertOccurrenceParts([{ shard, rows: left }], { batch, token })
    })
    return new Set()
  } catch (error) {
    if (!isRejectedByClickHouse(error)) throw error
    const [row] = missing
    if (missing.length > 1 || row === undefined) {
      const half = Math.ceil(missing.length / 2)
      const first = await insertParts(context, missing.slice(0, half), batch, `${place}0`)
      return first.union(await insertParts(context, missing.slice(half), batch, `${place}1`))
    }
    context.metrics.refused.inc({ store: 'clickhouse' })
    const { projectId, eventId } = row.event
    context.log.error({ err: error, projectId, eventId }, 'clickhouse rejects an error event')
    return new Set([row])
  }
}
