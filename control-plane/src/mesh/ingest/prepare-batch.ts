import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { DecodedMessage } from '../../readings/decode.ts'
import type { IngestContext, Holding } from './context.ts'
import type { CheckFacts } from './directory.ts'
import type { FetchedMessage } from './pending.ts'
import type { StreamMessage } from '@probe-mesh/bus/port'
import type { ReadingRow } from '../../readings/insert-readings.ts'
import type { SequenceRange } from './ingest-batches-store.ts'

/** What can be known of a batch before the one ahead of it is stored. */
export type PreparedBatch = {
  fetched: readonly FetchedMessage[]
  /** By partition: whose messages these are. */
  holdings: ReadonlyMap<number, Holding>
  decoded: readonly DecodedMessage[]
  /** Every good reading in order: a position in here is what a batch records as dropped. */
  readings: readonly Reading[]
  facts: ReadonlyMap<string, CheckFacts>
}

/** Messages decoded in one go: about 10 ms, so that nothing else in the process waits for longer. */
const messagesPerTurn = 10

/** Takes messages apart and looks up their checks, while the batch ahead is being stored. */
export const prepareBatch = async (
  context: Pick<IngestContext, 'decode' | 'directory' | 'retry'>,
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

/** The good readings of messages, and what is known of their checks. */
export const gather = async (
  context: Pick<IngestContext, 'directory' | 'retry'>,
  decoded: readonly DecodedMessage[],
): Promise<Pick<PreparedBatch, 'readings' | 'facts'>> => {
  const readings = decoded.flatMap((message) => message.readings)
  const checkIds = new Set(readings.map((reading) => reading.checkId))
  const facts = await context.retry('postgres', () => context.directory.find(checkIds))
  return { readings, facts }
}

/** One range per partition: messages come in order from each. */
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
 * The rows of a batch: its readings in order, without the positions that were recorded as dropped.
 * The same messages and positions make the same rows, also after a crash; without those of checks
 * that were deleted meanwhile, whose history may be purged already.
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
