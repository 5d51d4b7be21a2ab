import { setTimeout as elapse } from 'node:timers/promises'
import { BusUnavailable, type Bus } from '@probe-mesh/bus/port'
import { partitions } from '@probe-mesh/contracts/mesh/subjects'
import { readingId, type Reading } from '@probe-mesh/contracts/reading/reading'
import { decodeMessage } from '@probe-mesh/control-plane/readings/decode'

const bounds = { messagesMax: 100, bytesMax: 4 * 1024 * 1024, waitMs: 1_000 }
const againMs = 200

/** Collects the readings that agents publish. */
export type ReadingCollector = {
  readonly kept: {
    /** By id, without duplicates. */
    readonly readings: ReadonlyMap<string, Reading>
    /** Reasons of messages that ingest would set aside. */
    readonly refused: readonly string[]
  }
  close(): Promise<void>
}

/**
 * Consumes readings like ingest, into memory instead of a database, and confirms them to the agents. For
 * tests of agents without the cost of databases.
 */
export const startReadingCollector = async (bus: Bus): Promise<ReadingCollector> => {
  const closing = new AbortController()
  const readings = new Map<string, Reading>()
  const refused: string[] = []

  const keep = async (partition: number): Promise<void> => {
    const consumer = await bus.readings.consume(partition, 'ingest')
    while (!closing.signal.aborted) {
      try {
        const messages = await consumer.fetch({ ...bounds, signal: closing.signal })
        for (const message of messages) {
          const { sender, readings: good, poison } = decodeMessage(message)
          for (const reading of good) readings.set(readingId(reading), reading)
          refused.push(...poison.map(({ reason }) => reason))
          if (sender === null) continue
          await bus.persisted.mark(sender.region, sender.agent, partition, sender.batch)
        }
        const last = messages.at(-1)
        if (last !== undefined) await consumer.acknowledge(last.sequence)
      } catch (error) {
        if (!(error instanceof BusUnavailable)) throw error
        await elapse(againMs)
      }
    }
    await consumer.close()
  }
  const keeping = Promise.all(partitions.map(keep))
  return {
    kept: { readings, refused },
    close: async () => {
      closing.abort()
      await keeping
    },
  }
}
