import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { partitionOf } from '@probe-mesh/contracts/mesh/partition'
import { isRejectedByClickHouse } from '../../stores/clickhouse/connect.ts'
import { newestStoredSlots, storedReadingIds } from './stored-readings-query.ts'
import { forgetBatch, recordBatch, recordPoison } from './ingest-batches-store.ts'
import type { IngestBatch } from './ingest-batches-store.ts'
import { ownerOf, poisonOf, toPoison } from '../../readings/poison.ts'
import { isOfTheData } from '../../stores/retry.ts'
import type { IngestContext } from './context.ts'
import { finishBatch, markStored } from './finish-batch.ts'
import { prepareBatch, rangesOf, rowsOf } from './prepare-batch.ts'
import type { FetchedMessage } from './pending.ts'
import type { PreparedBatch } from './prepare-batch.ts'
import { settleRollups, settleReadings } from './settle-readings.ts'
import { createStoredSlots, twinPositions } from './stored-slots.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
import type { ReadingRow } from '../../readings/insert-readings.ts'

/**
 * Stores a batch. Where something in it cannot be stored, each of its messages is tried until the one is
 * found that cannot, which is put aside: what one sender sent never stops the process, nor the others.
 */
export const storeBatch = async (
  context: IngestContext,
  prepared: PreparedBatch,
): Promise<void> => {
  try {
    await storeWhole(context, prepared)
  } catch (error) {
    if (!isOfTheData(error)) throw error
    await divide(context, prepared.fetched, error)
  }
}

/** The same of messages that are not prepared yet. */
export const storeFetched = async (
  context: IngestContext,
  fetched: readonly FetchedMessage[],
): Promise<void> => {
  let prepared: PreparedBatch
  try {
    prepared = await prepareBatch(context, fetched)
  } catch (error) {
    if (!isOfTheData(error)) throw error
    return divide(context, fetched, error)
  }
  await storeBatch(context, prepared)
}

/**
 * Stores a batch exactly once: decides which rows are left out, records that with the batch's
 * sequence ranges, inserts under the batch's token, and only then lets the stream and the agents'
 * spools go. Killed anywhere in between, `repeatBatch` finishes it with the same rows. Batches are
 * stored one after another: what is a twin depends on what is stored. Recording asks for the leases
 * of all its partitions; what was fetched under one that is gone is left to its new owner.
 */
const storeWhole = async (context: IngestContext, prepared: PreparedBatch): Promise<void> => {
  const { sql, clickhouse, metrics, now } = context
  const { fetched, holdings, decoded, readings, facts } = prepared
  const nothing = createStoredSlots()
  const slotsOf = ({ checkId }: { checkId: string }) =>
    holdings.get(partitionOf(checkId))?.slots ?? nothing
  const twins = await context.retry('clickhouse', () =>
    twinPositions(readings, slotsOf, {
      findNewest: (doubtful) => newestStoredSlots(clickhouse, doubtful),
      findStored: (doubtful) => storedReadingIds(clickhouse, doubtful),
    }),
  )
  const dead = readings.flatMap(({ checkId }, at) =>
    facts.has(checkId) || twins.has(at) ? [] : [at],
  )
  const dropped = new Set([...twins, ...dead])
  const batch: IngestBatch = {
    token: uuidv7(now()),
    createdAtMs: now(),
    ranges: rangesOf(fetched.map(({ message }) => message)),
    dropped: [...dropped].toSorted((a, b) => a - b),
  }
  await countTwins(context, prepared, twins, batch.token)
  const poison = context.poison.keep(poisonOf(decoded, now()))
  const leases = [...holdings.values()].map(({ lease }) => lease)
  const lost = await context.retry('postgres', () => recordBatch(sql, batch, poison, leases))
  if (lost.size > 0) {
    await storeRest(context, fetched, lost)
    return
  }
  const rows = rowsOf(decoded, dropped, facts)
  try {
    await insertBatch(context, rows, batch.token)
  } catch (error) {
    if (!isOfTheData(error)) throw error
    // another shard may have taken its rows: what is remembered is asked about when it comes again
    for (const { reading } of rows) slotsOf(reading).remember(reading)
    await context.retry('postgres', () => forgetBatch(sql, batch.token))
    throw error
  }
  metrics.dropped.inc({ reason: 'twin' }, twins.size)
  metrics.dropped.inc({ reason: 'deleted_check' }, dead.length)
  for (const { reading } of rows) slotsOf(reading).remember(reading)
  await finishBatch(context, batch, decoded, rows)
  context.onStored(rows, facts)
  context.ownFaults.stored()
}

/**
 * A reading that is stored already may stand in the raw table alone: its batch was cut off between
 * that and the rollups, and could not be repeated, for the stream had lost a message of it. When it
 * comes again it is left out for good, so that now is the time to count it.
 */
const countTwins = async (
  context: IngestContext,
  { decoded, readings, facts }: PreparedBatch,
  twins: ReadonlySet<number>,
  token: string,
): Promise<void> => {
  if (twins.size === 0) return
  const others = new Set(readings.keys().filter((at) => !twins.has(at)))
  const stored = rowsOf(decoded, others, facts)
  await context.retry('clickhouse', () => settleRollups(context, stored, token))
}

/** What is left of a batch when other partitions of it belong to somebody else by now. */
const storeRest = async (
  context: IngestContext,
  fetched: readonly FetchedMessage[],
  lost: ReadonlySet<number>,
): Promise<void> => {
  const rest = fetched.filter(({ message }) => !lost.has(message.partition))
  context.metrics.fenced.inc(fetched.length - rest.length)
  context.log.warn({ partitions: [...lost] }, 'a batch lost partitions before it was recorded')
  if (rest.length > 0) await storeFetched(context, rest)
}

/** A batch could not be stored for what is in it: halves find the message, which becomes poison. */
const divide = async (
  context: IngestContext,
  fetched: readonly FetchedMessage[],
  error: unknown,
): Promise<void> => {
  const only = fetched[0]
  if (fetched.length > 1 || only === undefined) {
    const middle = Math.ceil(fetched.length / 2)
    for (const half of [fetched.slice(0, middle), fetched.slice(middle)]) {
      await storeFetched(context, half)
    }
    return
  }
  const { message, holding } = only
  const decoded = context.decode(message)
  // left on the stream: whoever starts next may know better
  if (context.ownFaults.isOurs(ownerOf(decoded), error)) throw error
  const by = isRejectedByClickHouse(error) ? 'refused by the store' : 'it cannot be stored'
  const reason = `${by}: ${error instanceof Error ? error.message : String(error)}`
  const part = { owner: ownerOf(decoded), reason, payload: message.data }
  for (const poison of context.poison.keep([toPoison(message, part, context.now())])) {
    await context.retry('postgres', () => recordPoison(context.sql, poison))
  }
  const { partition, sequence } = message
  context.log.error({ partition, sequence, reason }, 'poison message')
  // kept as poison it is accounted for, and those behind it may be marked
  await markStored(context, [decoded])
  await holding.consumer.acknowledge(sequence)
}

/**
 * Inserts a batch that nobody has tried before: one statement. When that fails, for whatever reason,
 * nobody knows what of it is stored, and every further try settles.
 * @throws ClickHouseError when the store refuses the batch: then nothing of it is stored
 */
const insertBatch = async (
  context: IngestContext,
  rows: readonly ReadingRow[],
  token: string,
): Promise<void> => {
  let act: () => Promise<void> = () => insertReadings(context.clickhouse, rows, token)
  await context.retry('clickhouse', () => {
    const acting = act()
    act = () => settleReadings(context, rows, token)
    return acting
  })
}
