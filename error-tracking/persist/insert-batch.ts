import { randomUUID } from 'node:crypto'
import { isRejectedByClickHouse } from '@probe-mesh/control-plane/src/stores/clickhouse/connect'
import { insertOccurrenceParts, occurrencesByShard, type OccurrenceRow } from './insert-occurrences.ts'
import { findStoredIds } from '../issues/occurrences-query.ts'
import { runningInsertsEnded } from '@probe-mesh/control-plane/src/stores/clickhouse/running-inserts'
import type { Shard } from '@probe-mesh/control-plane/src/stores/clickhouse/shard'
import type { PersistContext } from './context.ts'

/** Extra tokens for a batch if ClickHouse kept its own token without the rows. */
const extraTokensMax = 8

type InsertContext = Pick<PersistContext, 'clickhouse' | 'metrics' | 'log' | 'retry'>

/**
 * Stores each occurrence of a batch once. Each shard is independent. The first attempt is one insert. After
 * an attempt with an unknown result, only missing rows are inserted: the token is not enough, because a
 * killed server without replicated tables can keep the token and lose the rows.
 * @param tried whether an earlier attempt is possible
 * @returns the rows that ClickHouse rejects for their content
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
  const rejected = new Set<OccurrenceRow>()
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') throw outcome.reason
    for (const row of outcome.value) rejected.add(row)
  }
  return rejected
}

/**
 * The shards of rows that are stored already. After a shard was added, it may differ from the owner of the
 * project.
 */
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
  let isUncertain = tried
  try {
    await context.retry('clickhouse', () => {
      const mayExist = isUncertain
      isUncertain = true
      return mayExist
        ? insertMissing(context, rows, batch)
        : insertOccurrenceParts([{ shard: context.shard, rows }], { batch, token: batch })
    })
    return new Set()
  } catch (error) {
    if (!isRejectedByClickHouse(error)) throw error
    return insertParts(context, rows, batch)
  }
}

const insertMissing = async (
  context: ShardContext,
  rows: readonly OccurrenceRow[],
  batch: string,
): Promise<void> => {
  const { shard } = context
  if (context.clickhouse.isReplicated) {
    return insertOccurrenceParts([{ shard, rows }], { batch, token: batch })
  }
  let missing = await findMissing(context, rows, batch)
  // the batch's own token first, because an earlier attempt may still reach the server
  for (let extra = 0; missing.length > 0; extra++) {
    if (extra > extraTokensMax) throw new Error(`batch ${batch} cannot be stored`)
    if (extra > 0) {
      context.metrics.repairs.inc()
      context.log.warn({ batch, extra, rows: missing.length }, 'clickhouse dropped occurrences')
    }
    const token = extra === 0 ? batch : `${batch}-${extra}`
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
 * Inserts rows that a shard rejected as a whole, by bisection, so that only unacceptable rows are lost. With
 * replicated tables each half has a token from its position and can be retried. Without them each attempt has
 * its own token, and after an unknown result only missing rows are inserted.
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
  let isUncertain = false
  try {
    await context.retry('clickhouse', async () => {
      const left = isUncertain && !isReplicated ? await findMissing(context, missing, batch) : missing
      isUncertain = true
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
    context.metrics.rejected.inc({ store: 'clickhouse' })
    const { projectId, eventId } = row.event
    context.log.error({ err: error, projectId, eventId }, 'clickhouse rejects an error event')
    return new Set([row])
  }
}
