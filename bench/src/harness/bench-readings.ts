import { limits } from '@probe-mesh/contracts/schema/limits'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { slotPhase } from '@probe-mesh/contracts/reading/slots'
import { createRandom } from './statistics.ts'
import { checkIdOf } from './bench-ids.ts'
import { tenths, timedReading } from './timed-reading.ts'

export type Workload = {
  checks: number
  regions: readonly Region[]
  slots: number
  fromMs: number
}

/** A message of an agent, with its readings. */
type BenchMessage = {
  partition: number
  region: string
  batch: number
  readings: Reading[]
}

const intervalMs = 60_000

/**
 * Slots of every check in its regions, in full messages, in the order in which agents send them. They are the
 * same in every process: latencies spread, one reading in fifty fails.
 */
export const benchMessages = ({ checks, regions, slots, fromMs }: Workload): BenchMessage[] => {
  const random = createRandom(42)
  const open = new Map<string, BenchMessage>()
  const messages: BenchMessage[] = []
  let batch = 0
  const messageFor = (region: string, partition: number): BenchMessage => {
    const key = `${region}:${partition}`
    const current = open.get(key)
    if (current !== undefined && current.readings.length < limits.readingsPerMessageMax) {
      return current
    }
    const message = { partition, region, batch: ++batch, readings: [] }
    messages.push(message)
    open.set(key, message)
    return message
  }
  const phases = regions.map((region) =>
    Array.from({ length: checks }, (_, n) => slotPhase(checkIdOf(n), region, intervalMs)),
  )
  for (let slot = 0; slot < slots; slot++) {
    for (let n = 0; n < checks; n++) {
      for (const [at, region] of regions.entries()) {
        const checkId = checkIdOf(n)
        const phaseMs = phases[at]?.[n] ?? 0
        const reading = readingAt(checkId, region, fromMs + slot * intervalMs + phaseMs, random)
        messageFor(region, partitionOf(checkId)).readings.push(reading)
      }
    }
  }
  return messages
}

const readingAt = (checkId: string, region: string, slot: number, random: () => number): Reading => {
  const isUp = random() > 0.02
  const phaseOf = (usualMs: number): number => tenths(usualMs * (0.5 + random()))
  const timings = {
    dnsMs: phaseOf(2),
    connectMs: phaseOf(20),
    tlsMs: phaseOf(30),
    ttfbMs: phaseOf(120),
    transferMs: phaseOf(8),
  }
  const lateMs = Math.floor(random() * 3)
  return timedReading({
    checkId,
    region,
    slot,
    lateMs,
    isUp,
    timings,
    address: '203.0.113.7',
    certificateExpiresAt: 1_900_000_000_000,
  })
}

/** The encoded message. */
export const bytesOf = ({ partition, region, batch, readings }: BenchMessage): Uint8Array =>
  Buffer.from(JSON.stringify({ version: 1, agent: `${region}-bench`, region, partition, batch, readings }))
