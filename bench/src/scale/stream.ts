import type { StreamMessage } from '@probe-mesh/bus/port'
import { messageFrameBytes } from './wire.ts'

/** The stream of one partition: kept until both of its readers have acknowledged. */
export const createSimulatedStream = (partition: number, now: () => number) => {
  const held: StreamMessage[] = []
  const acknowledged = { ingest: 0, assess: 0 }
  let released = 0
  let heldBytes = 0
  const totals = { messages: 0, payloadBytes: 0, wireBytes: 0, heldBytesMax: 0 }

  return {
    totals: totals as Readonly<typeof totals>,
    publish: (region: string, messageId: string, data: Uint8Array): number => {
      const sequence = released + held.length + 1
      held.push({ partition, sequence, data, storedAt: now() })
      heldBytes += data.length
      totals.messages += 1
      totals.payloadBytes += data.length
      totals.wireBytes += messageFrameBytes(partition, region, messageId, data)
      totals.heldBytesMax = Math.max(totals.heldBytesMax, heldBytes)
      return sequence
    },
    /** What a reader has not been given yet; a new one asks from what was acknowledged. */
    after: (sequence: number): StreamMessage[] => held.slice(Math.max(0, sequence - released)),
    acknowledgedBy: (reader: keyof typeof acknowledged): number => acknowledged[reader],
    acknowledge: (reader: keyof typeof acknowledged, sequence: number): void => {
      acknowledged[reader] = Math.max(acknowledged[reader], sequence)
      const through = Math.min(acknowledged.ingest, acknowledged.assess)
      for (const { data } of held.splice(0, through - released)) heldBytes -= data.length
      released = through
    },
  }
}

export type SimulatedStream = ReturnType<typeof createSimulatedStream>
