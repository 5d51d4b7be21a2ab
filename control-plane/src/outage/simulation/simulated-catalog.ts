import type { ObservedService } from '../shared-factors.ts'
import type { Random } from './random.ts'

export type SimulatedService = ObservedService & { standing: 'well'; slug: string }

/** A service fails in [from, to), minutes. */
export type SimulatedFailure = { slug: string; from: number; to: number }

/**
 * Shares of a catalog, as popular services are: one CDN, one cloud region, two DNS providers lead.
 */
const shares = {
  cdn: { cloudway: 0.35, quickly: 0.15, edgecast: 0.1, frontline: 0.1 },
  cloud_region: { 'a/east-1': 0.25, 'a/west-2': 0.1, 'b/europe-1': 0.08, 'c/central': 0.06 },
  dns: { cloudway: 0.3, route: 0.25, nameone: 0.1, dyno: 0.05 },
} as const

/** A catalog of services with the factors that each has. */
export const catalogOf = (count: number, random: Random): SimulatedService[] =>
  Array.from({ length: count }, (_, index) => ({
    slug: `service-${String(index).padStart(4, '0')}`,
    name: `Service ${index}`,
    standing: 'well' as const,
    regions: [],
    sinceMs: null,
    factors: [
      ...pick('cdn', random.uniform()),
      ...pick('cloud_region', random.uniform()),
      ...pick('dns', random.uniform()),
    ],
  }))

const pick = (
  kind: keyof typeof shares,
  at: number,
): { kind: keyof typeof shares; name: string }[] => {
  let rest = at
  for (const [name, share] of Object.entries(shares[kind])) {
    rest -= share
    if (rest < 0) return [{ kind, name }]
  }
  return []
}

const outagesPerDay = 1 / 20
const minutesOf = (random: Random): number => 12 * Math.exp(1.2 * random.normal())

/**
 * Outages that have nothing to do with one another, but for those of two services of one vendor.
 */
export const failuresOf = (
  services: readonly SimulatedService[],
  minutes: number,
  random: Random,
): SimulatedFailure[] =>
  services.flatMap(({ slug }, index) => {
    const failures: SimulatedFailure[] = []
    for (let at = 0; at < minutes; at += 60) {
      const hour = (at / 60) % 24
      // releases: five times as many in working hours
      const rate = (hour >= 9 && hour < 17 ? 5 : 1) * (3 / 7)
      if (random.uniform() >= (outagesPerDay / 24) * rate) continue
      const from = Math.floor(at + 60 * random.uniform())
      const length = random.uniform() < 0.01 ? 5_000 : minutesOf(random)
      const to = from + 2 + length
      failures.push({ slug, from, to })
      const sister = services[index + 1]
      if (index % 8 === 0 && sister !== undefined)
        failures.push({ slug: sister.slug, from: from + 1, to })
    }
    return failures
  })

/**
 * An outage of a factor with ten services at least: a third to all of them fail, most within three
 * minutes.
 */
export const outageOf = (services: readonly SimulatedService[], from: number, random: Random) => {
  const names = ['cloudway', 'quickly', 'edgecast', 'a/east-1', 'route'] as const
  const factor = names[Math.floor(random.uniform() * names.length)] ?? names[0]
  const kind = factor === 'a/east-1' ? 'cloud_region' : factor === 'route' ? 'dns' : 'cdn'
  const own = services.filter(({ factors }) =>
    factors.some((one) => one.kind === kind && one.name === factor),
  )
  const share = 0.33 + 0.67 * random.uniform()
  const to = from + 30 + random.exponential(60)
  // the slot's own wait, and then its confirmation
  const failures = own
    .slice(0, Math.max(6, Math.ceil(own.length * share)))
    .map(({ slug }) => ({ slug, from: Math.floor(from + 1 + random.exponential(1.5)), to }))
  return { factor, from, to, failures }
}
