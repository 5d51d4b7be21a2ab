import { regionsDefault } from '@probe-mesh/contracts/reading/regions'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { hash32, nextSlot, slotPhase } from '@probe-mesh/contracts/reading/slots'
import type { ReadingRow } from '@probe-mesh/control-plane/readings/insert-readings'
import { createReadingModel } from './reading-model.ts'
import { createRandom } from '../harness/statistics.ts'

/** The four live regions and six more. */
export const tenRegions: readonly Region[] = [...regionsDefault, 'gru', 'lhr', 'sin', 'syd', 'bom', 'jnb']

/** UUIDv7 as accounts create them over a year, the same in every run. */
export const checkIds = (count: number): string[] => {
  const random = createRandom(7)
  const hex = (digits: number): string =>
    Math.floor(random() * 16 ** digits)
      .toString(16)
      .padStart(digits, '0')
  return Array.from({ length: count }, () => {
    const createdAtMs = Math.floor(1_750_000_000_000 + random() * 31_536_000_000)
    const time = createdAtMs.toString(16).padStart(12, '0')
    const variant = (8 + Math.floor(random() * 4)).toString(16)
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${variant}${hex(3)}-${hex(6)}${hex(6)}`
  })
}

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

/** The share of readings that fail. */
const failingShare = 0.003
/** From the end of a run to the stream: a message waits to be full, and travels, ms. */
const messageWaitMsMax = 200
const travelMs = 30
const agentsPerRegion = 52
/** The size of ingest's batches under load. */
const rowsPerBatch = 20_000

/** Every slot of the checks, in batches of the size that ingest forms, in order of time. */
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
      // now and then a busy event loop delays a run
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
