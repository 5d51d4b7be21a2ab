import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { hash32 } from '@probe-mesh/contracts/reading/slots'
import { tenths, timedReading } from '../harness/timed-reading.ts'

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
export const createReadingModel =
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
