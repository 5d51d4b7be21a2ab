import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { DecodedMessage } from '../../readings/decode.ts'
import type { IngestContext, Holding } from './context.ts'
import type { CheckFacts } from './check-facts.ts'
import type { FetchedMessage } from './pending.ts'
import type { StreamMessage } from '@probe-mesh/bus/port'
import type { ReadingRow } from '../../readings/insert-readings.ts'
import type { SequenceRange } from './ingest-batches-store.ts'

/** What is known about a batch before the batch ahead of it is stored. */
export type PreparedBatch = {
  fetched: readonly FetchedMessage[]
  /** By partition: the owned partition that fetched its messages. */
  holdings: ReadonlyMap<number, Holding>
  decoded: readonly DecodedMessage[]
  /** Every readable reading in order. A batch records dropped rows as positions in this list. */
  readings: readonly Reading[]
  facts: ReadonlyMap<string, CheckFacts>
}

/** Messages decoded without a pause: about 10 ms, so that nothing else in the process waits longer. */
const messagesPerTurn = 10

/** Decodes messages and looks up their checks while the batch ahead is being stored. */
export const prepareBatch = async (
  context: Pick<IngestContext, 'decode' | 'factsOfChecks' | 'retry'>,
  fetched: readonly FetchedMessage[],
): Promise<PreparedBatch> => {
  const holdings = new Map<number, Holding>()
  const decoded: DecodedMessage[] = []
  for (const { holding, message } of fetched) {
    holdings.set(message.partition, holding)
    decoded.push(context.decode(message))
    if (decoded.length % messagesPerTurn === 0) await yieldToLoop()
  }
  const { readings, facts } = await gather(context, decoded)
  return { fetched, holdings, decoded, readings, facts }
}

/** The readable readings of messages, and the facts about their checks. */
export const gather = async (
  context: Pick<IngestContext, 'factsOfChecks' | 'retry'>,
  decoded: readonly DecodedMessage[],
): Promise<Pick<PreparedBatch, 'readings' | 'facts'>> => {
  const readings = decoded.flatMap((message) => message.readings)
  const checkIds = new Set(readings.map((reading) => reading.checkId))
  const facts = await context.retry('postgres', () => context.factsOfChecks.find(checkIds))
  return { readings, facts }
}

/** One range for each partition: the messages of a partition are in order. */
export const rangesOf = (messages: readonly StreamMessage[]): SequenceRange[] => {
  const ranges = new Map<number, SequenceRange>()
  for (const { partition, sequence } of messages) {
    const range = ranges.get(partition)
    if (range === undefined) {
      ranges.set(partition, { partition, first: sequence, last: sequence, count: 1 })
    } else {
      range.last = sequence
      range.count += 1
    }
  }
  return [...ranges.values()]
}

/**
 * The rows of a batch: its readings in order, without the positions recorded as dropped. The same messages
 * and positions give the same rows, even after a crash, except for checks deleted in the meantime, whose
 * history may already be purged.
 */
export const rowsOf = (
  decoded: readonly DecodedMessage[],
  dropped: ReadonlySet<number>,
  facts: ReadonlyMap<string, CheckFacts>,
): ReadingRow[] => {
  const rows: ReadingRow[] = []
  let position = -1
  for (const { readings, sender, source } of decoded) {
    for (const reading of readings) {
      position += 1
      if (dropped.has(position)) continue
      const known = facts.get(reading.checkId)
      if (known === undefined) continue
      const { rawDays, hourDays } = known
      const agent = sender?.agent ?? ''
      rows.push({ reading, agent, receivedAtMs: source.storedAt, rawDays, hourDays })
    }
  }
  return rows
}
