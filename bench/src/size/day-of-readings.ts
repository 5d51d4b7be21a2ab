import { regionsDefault, type Region } from '@probe-mesh/contracts/reading/regions'
import { hash32, nextSlot, slotPhase } from '@probe-mesh/contracts/reading/slots'
import type { ReadingRow } from '@probe-mesh/control-plane/src/readings/insert-readings'
import { createRandom } from '../harness/statistics.ts'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { tenths, timedReading } from '../harness/timed-reading.ts'

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

/** The run of a reading. Times are Unix ms. */
type ModelRun = {
  checkId: string
  region: Region
  slot: number
  lateMs: number
  isUp: boolean
}

const dayMs = 86_400_000

/** How much a phase varies from one reading to the next, as the sigma of its logarithm. */
const sigma = { dns: 0.5, connect: 0.04, tls: 0.06, ttfb: 0.18, transfer: 0.35 } as const

/**
 * Makes readings as an agent does, of targets that differ: each check and region has a distance (2 to
 * 200 ms), a server that answers in 5 to 400 ms and a certificate. Readings vary around these values with a
 * log-normal distribution, as measured latencies do. No real account is behind the values.
 * @param random in [0, 1)
 */
const createReadingModel =
  (random: () => number) =>
  ({ checkId, region, slot, lateMs, isUp }: ModelRun): Reading => {
    const check = hash32(checkId)
    const pair = hash32(`${region}${checkId}`)
    const distanceMs = between(share(pair, 0), 2, 200)
    const noise = (usualMs: number, spread: number): number =>
      tenths(usualMs * Math.exp(spread * normal(random)))
    const timings = {
      dnsMs: noise(between(share(pair, 8), 0.5, 30), sigma.dns),
      connectMs: noise(distanceMs, sigma.connect),
      tlsMs: noise(distanceMs + between(share(check, 0), 2, 20), sigma.tls),
      ttfbMs: noise(distanceMs + between(share(check, 8), 5, 400), sigma.ttfb),
      transferMs: noise(between(share(check, 16), 0.2, 40), sigma.transfer),
    }
    return timedReading({
      checkId,
      region,
      slot,
      lateMs,
      isUp,
      timings,
      // a quarter of the targets answer by one of two addresses
      address: addressOf(check % 4 === 0 && random() < 0.5 ? check + 1 : check),
      certificateExpiresAt: 1_900_000_000_000 + (check % 90) * dayMs,
    })
  }

/** Eight bits of a hash, in [0, 1). */
const share = (hash: number, shift: number): number => ((hash >>> shift) & 0xff) / 256

/** On a logarithmic scale. */
const between = (at: number, least: number, most: number): number => least * (most / least) ** at

/** Box and Muller's. */
const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** One of 65,536 of a documentation prefix (RFC 3849): many checks share a host. */
const addressOf = (hash: number): string => `2001:db8::${(hash & 0xffff).toString(16)}`
