import { BusUnavailable } from '@probe-mesh/bus/port'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Journal } from './journal.ts'
import type { AgentMetrics } from './run/agent-metrics.ts'
import type { Publisher } from './publish/publisher.ts'
import { encodeReading, type Spool } from './publish/spool/spool.ts'

/**
 * Stores a reading durably in the tick of its measurement: first the spool, then the journal, then
 * the publisher. If the disk fails, it is published from memory.
 */
export const recordReading = (
  parts: {
    spool: Spool
    journal: Journal | null
    publisher: Publisher
    metrics: AgentMetrics
  },
  reading: Reading,
): void => {
  const { spool, journal, publisher, metrics } = parts
  const encoded = encodeReading(reading)
  metrics.read(reading.verdict)
  try {
    spool.append(encoded)
  } catch (error) {
    if (!(error instanceof BusUnavailable)) throw error
    if (!publisher.addUnspooled(encoded)) metrics.dropped('disk', 1)
    return
  }
  journal?.append(reading)
  publisher.wake(encoded.partition, reading)
}
