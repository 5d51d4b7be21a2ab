import type { Region } from '@probe-mesh/contracts/reading/regions'
import { hash32, nextSlot, slotPhase } from '@probe-mesh/contracts/reading/slots'
import type { ReadingRow } from '@probe-mesh/control-plane/readings/insert-readings'
import { createReadingModel } from '../scale/readings.ts'
import { createRandom } from '../statistics.ts'

export type Day = {
  checkIds: readonly string[]
  regions: readonly Region[]
  intervalSeconds: number
  /** [fromMs, toMs) Unix ms */
  fromMs: number
  toMs: number
  rawDays: number
  hourDays: number
}

/** One reading in so many fails. */
const failingShare = 0.003
/** A message waits to be full, and travels: from the run's end to the stream, ms. */
const messageWaitMsMax = 200
const travelMs = 30
const agentsPerRegion = 52
/** A batch of ingest at this load. */
const rowsPerBatch = 20_000

/** Every slot of some checks in batches as ingest makes them, in the order of time. */
export function* batchesOf(day: Day): Generator<ReadingRow[]> {
  const { checkIds, regions, intervalSeconds, fromMs, toMs, rawDays, hourDays } = day
  const random = createRandom(11)
  const model = createReadingModel(random)
  const intervalMs = intervalSeconds * 1_000
  const pairs = checkIds
    .flatMap((checkId) =>
      regions.map((region) => ({
        checkId,
        region,
        agent: `${region}-${hash32(checkId) % agentsPerRegion}`,
        first: nextSlot(slotPhase(checkId, region, intervalMs), intervalMs, fromMs),
      })),
    )
    .toSorted((a, b) => a.first - b.first)
  let rows: ReadingRow[] = []
  for (let sinceMs = 0; sinceMs < toMs - fromMs; sinceMs += intervalMs) {
    for (const { checkId, region, agent, first } of pairs) {
      const slot = first + sinceMs
      // late by a busy turn of the loop now and then
      const lateMs = random() < 0.9 ? Math.floor(random() * 3) : Math.floor(random() * 20)
      const reading = model({ checkId, region, slot, lateMs, isUp: random() >= failingShare })
      const endedAt = reading.measuredAt + (reading.latencyMs ?? 0)
      const receivedAtMs = Math.round(endedAt + random() * messageWaitMsMax + travelMs)
      rows.push({ reading, agent, receivedAtMs, rawDays, hourDays })
      if (rows.length < rowsPerBatch) continue
      yield rows
      rows = []
    }
  }
  if (rows.length > 0) yield rows
}
