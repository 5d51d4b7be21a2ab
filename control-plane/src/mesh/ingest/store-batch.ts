import { messageOf } from '@probe-mesh/runtime/errors'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { isRejectedByClickHouse } from '../../stores/clickhouse/connect.ts'
import type { IngestBatch } from './ingest-batches-store.ts'
import { ownerOf, poisonOf, toPoison } from '../../readings/poison.ts'
import { isOfTheData } from '../../stores/retry.ts'
import type { IngestContext } from './context.ts'
import { finishBatch, markStored } from './finish-batch.ts'
import { prepareBatch, rangesOf, rowsOf, type PreparedBatch } from './prepare-batch.ts'
import type { FetchedMessage } from './pending.ts'
import { settleRollups, settleReadings } from './settle-readings.ts'
import { createStoredSlots, twinPositions } from './stored-slots.ts'
import type { ReadingRow } from '../../readings/insert-readings.ts'

/**
 * Stores a batch. If its data cannot be stored, the batch is divided until the faulty message is found, which
 * is set aside: a message of one sender stops neither the process nor the messages of others.
 */
export const storeBatch = async (context: IngestContext, prepared: PreparedBatch): Promise<void> => {
  try {
    await storeWhole(context, prepared)
  } catch (error) {
    if (!isOfTheData(error)) throw error
    await divide(context, prepared.fetched, error)
  }
}

/** Does the same for messages that are not prepared yet. */
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
 * Stores a batch exactly once: decides which rows are left out, records that with the batch's sequence
 * ranges, inserts under the batch's token, and only then releases the messages in the stream and in the
 * agents' spools. If the process is killed in between, `repeatBatch` finishes it with the same rows. Batches
 * are stored one after another, because duplicates depend on what is stored. Recording checks the leases of
 * all partitions; messages under a lost lease are left to the new owner.
 */
const storeWhole = async (context: IngestContext, prepared: PreparedBatch): Promise<void> => {
  const { records, tables, metrics, now } = context
  const { fetched, holdings, decoded, readings, facts } = prepared
  const nothing = createStoredSlots()
  const slotsOf = ({ checkId }: { checkId: string }) => holdings.get(partitionOf(checkId))?.slots ?? nothing
  const twins = await context.retry('clickhouse', () => twinPositions(readings, slotsOf, tables))
  const dead = readings.flatMap(({ checkId }, at) => (facts.has(checkId) || twins.has(at) ? [] : [at]))
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
  const lost = await context.retry('postgres', () => records.record(batch, poison, leases))
  if (lost.size > 0) {
    // if an answer was lost, the batch was recorded, and its new owner may have stored all of it
    for (const { slots } of holdings.values()) slots.forget()
    await storeRest(context, fetched, lost)
    return
  }
  const rows = rowsOf(decoded, dropped, facts)
  try {
    await insertBatch(context, rows, batch.token)
  } catch (error) {
    if (!isOfTheData(error)) throw error
    // another shard may have stored its rows: a remembered slot is looked up when its reading comes again
    for (const { reading } of rows) slotsOf(reading).remember(reading)
    await context.retry('postgres', () => records.forget(batch.token))
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
 * A stored reading may be in the raw table only: its batch was interrupted before the rollups and could not
 * be repeated, because the stream had lost a message of it. When the reading comes again it is left out for
 * good, so it is counted now.
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

/** Stores the rest of a batch after some of its partitions got another owner. */
const storeRest = async (
  context: IngestContext,
  fetched: readonly FetchedMessage[],
  lost: ReadonlySet<number>,
): Promise<void> => {
  const rest = fetched.filter(({ message }) => !lost.has(message.partition))
  context.metrics.fenced.inc(fetched.length - rest.length)
  context.log.warn(
    { partitions: [...lost] },
    'a batch lost partitions to other owners before it was recorded',
  )
  if (rest.length > 0) await storeFetched(context, rest)
}

/** The data of a batch could not be stored: halving finds the faulty message, which is set aside. */
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
  // left on the stream: the next process may be able to store it
  if (context.ownFaults.isOurs(ownerOf(decoded), error)) throw error
  const by = isRejectedByClickHouse(error) ? 'refused by ClickHouse' : 'it cannot be stored'
  const reason = `${by}: ${messageOf(error)}`
  const part = { owner: ownerOf(decoded), reason, payload: message.data }
  for (const poison of context.poison.keep([toPoison(message, part, context.now())])) {
    await context.retry('postgres', () => context.records.keepPoison(poison))
  }
  const { partition, sequence } = message
  context.log.error({ partition, sequence, reason }, 'poison message')
  // what can be kept of it is in poison_messages, so the marks may move past it
  await markStored(context, [decoded])
  await holding.consumer.acknowledge(sequence)
}

/**
 * Inserts a new batch by one statement. After any failure it is unknown which rows are stored, so every
 * further attempt settles the batch.
 * @throws ClickHouseError when ClickHouse refuses the batch: then none of it is stored
 */
const insertBatch = async (
  context: IngestContext,
  rows: readonly ReadingRow[],
  token: string,
): Promise<void> => {
  let attempt: () => Promise<void> = () => context.tables.insert(rows, token)
  await context.retry('clickhouse', () => {
    const attempting = attempt()
    attempt = () => settleReadings(context, rows, token)
    return attempting
  })
}
