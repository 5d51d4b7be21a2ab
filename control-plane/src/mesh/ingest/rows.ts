import type { StreamMessage } from '@probe-mesh/bus/port'
import type { ReadingRow } from '../../readings/insert-readings.ts'
import type { SequenceRange } from './ingest-batches-store.ts'
import type { DecodedMessage } from '../../readings/decode.ts'
import type { CheckFacts } from './directory.ts'

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
