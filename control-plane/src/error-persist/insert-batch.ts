import { randomUUID } from 'node:crypto'
import { isRejectedByClickHouse } from '../clickhouse/connect.ts'
import { insertOccurrences } from '../clickhouse/insert-occurrences.ts'
import type { OccurrenceRow } from '../clickhouse/insert-occurrences.ts'
import { storedOccurrenceIds } from '../clickhouse/occurrences.ts'
import { runningInsertsEnded } from '../clickhouse/running-inserts.ts'
import type { PersistContext } from './context.ts'

/** Further tokens for a batch whose own the store remembers without the rows. */
const furtherTokensMax = 8

type InsertContext = Pick<PersistContext, 'clickhouse' | 'metrics' | 'log' | 'retry'>

/**
 * Stores the occurrences of a batch, each once. The first try is one statement; of what was tried
 * before nobody knows the outcome, so that it is asked what is missing. The token alone does not say:
 * a server that is killed may keep it without the rows.
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
  let unknown = tried
  try {
    await context.retry('clickhouse', () => {
      const settling = unknown
      unknown = true
      return settling
        ? settle(context, rows, batch)
        : insertOccurrences(context.clickhouse, rows, { batch, token: batch })
    })
    return new Set()
  } catch (error) {
    if (!isRejectedByClickHouse(error)) throw error
    return insertParts(context, rows, batch)
  }
}

const settle = async (
  context: InsertContext,
  rows: readonly OccurrenceRow[],
  batch: string,
): Promise<void> => {
  let missing = await findMissing(context, rows, batch)
  // under the batch's own token first: an earlier try may be on its way to the server still
  for (let further = 0; missing.length > 0; further++) {
    if (further > furtherTokensMax) throw new Error(`batch ${batch} cannot be stored`)
    if (further > 0) {
      context.metrics.repairs.inc()
      context.log.warn({ batch, further, rows: missing.length }, 'the store dropped occurrences')
    }
    const token = further === 0 ? batch : `${batch}-${further}`
    await insertOccurrences(context.clickhouse, missing, { batch, token })
    missing = await findMissing(context, missing, batch)
  }
}

const findMissing = async (
  { clickhouse }: InsertContext,
  rows: readonly OccurrenceRow[],
  batch: string,
): Promise<OccurrenceRow[]> => {
  await runningInsertsEnded(clickhouse, 'error_occurrences')
  const projects = rows.map(({ event }) => event.projectId)
  const stored = await storedOccurrenceIds(clickhouse, batch, projects)
  return rows.filter(({ event }) => !stored.has(`${event.projectId} ${event.eventId}`))
}

/**
 * The store refused a batch whole: by halves, so that only those are lost that it cannot take. Each try
 * has a token of its own, and after one whose outcome is unknown it is asked what is missing.
 */
const insertParts = async (
  context: InsertContext,
  rows: readonly OccurrenceRow[],
  batch: string,
): Promise<Set<OccurrenceRow>> => {
  const missing = await context.retry('clickhouse', () => findMissing(context, rows, batch))
  if (missing.length === 0) return new Set()
  let unknown = false
  try {
    await context.retry('clickhouse', async () => {
      const left = unknown ? await findMissing(context, missing, batch) : missing
      unknown = true
      await insertOccurrences(context.clickhouse, left, {
        batch,
        token: `${batch}:${randomUUID()}`,
      })
    })
    return new Set()
  } catch (error) {
    if (!isRejectedByClickHouse(error)) throw error
    const [row] = missing
    if (missing.length > 1 || row === undefined) {
      const half = Math.ceil(missing.length / 2)
      const first = await insertParts(context, missing.slice(0, half), batch)
      return first.union(await insertParts(context, missing.slice(half), batch))
    }
    context.metrics.refused.inc({ store: 'clickhouse' })
    const { projectId, eventId } = row.event
    context.log.error({ err: error, projectId, eventId }, 'the store refuses an error event')
    return new Set([row])
  }
}
