import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import { listedFactors, factorKey } from '../shared-factors.ts'
import type { OpenIncident } from '../open-incident.ts'
import { newSharedState, observeCatalog } from '../shared-incident.ts'
import type { SharedState } from '../shared-incident.ts'
import type { ObservedService } from '../shared-factors.ts'
import { delaysOf } from './outcome.ts'
import type { Outcome } from './outcome.ts'
import { createRandom } from './random.ts'
import type { Said } from './reliability.ts'
import {
  largeFactors,
  massOutage,
  ownFailures,
  ownFaults,
  regions,
  sharedOutage,
  unread,
  vendorOutages,
} from './simulated-world.ts'
import type { SharedOutage, SimulatedFailure } from './simulated-world.ts'

const dayMinutes = 1_440
const minuteMs = 60_000
/** Of the shared outages, one in so many takes most of the catalog. */
const massEvery = 10
/** How long after the end of a shared outage it may still be said. */
export const closingMinutesMax = 12
/** An incident said so long after an outage's end may still be of that. */
const afterMinutes = 2

/** How often something shared fails, and how much of what stands on it at least. */
type SharedOutages = { sharedEveryDays: number; shareMin: number }
/** More than there are, so that enough of them are seen. */
const many: SharedOutages = { sharedEveryDays: 5, shareMin: 0.5 }

type SaidIncident = Said & { key: string }

type IncidentOutcome = Outcome & { lateClosings: number; said: readonly SaidIncident[] }

/**
 * A catalog for `days`, looked at every minute: outages of its services, of its vendors and of their
 * regions, own faults of one or two regions, gaps in measuring. Then the same with an outage of
 * something shared now and then.
 */
export const simulateIncidents = (
  services: readonly CatalogService[],
  days: number,
  seed: number,
  { sharedEveryDays, shareMin }: SharedOutages = many,
): IncidentOutcome => {
  const random = createRandom(seed)
  const minutes = days * dayMinutes
  const own = [
    ...ownFailures(services, minutes, random),
    ...vendorOutages(services, minutes, random).flatMap(({ failures }) => failures),
    ...ownFaults(services, minutes, random),
    ...unread(services, minutes, random),
  ]
  const falseAlarms = play(services, own, minutes).opened.length
  const factors = largeFactors(services)
  const shared = Array.from({ length: Math.floor(days / sharedEveryDays) }, (_, index) => {
    const from = (index + 0.2 + 0.5 * random.uniform()) * sharedEveryDays * dayMinutes
    const factor = factors[Math.floor(random.uniform() * factors.length)]
    return factor === undefined || index % massEvery === massEvery - 1
      ? massOutage(services, from, random)
      : sharedOutage(services, factor, { from, shareMin }, random)
  })
  const all = [...own, ...shared.flatMap(({ failures }) => failures)]
  const { opened, closed, said } = play(services, all, minutes)
  const delays = shared.flatMap((outage) => {
    const first = opened.find(({ incident, at }) => isOf(incident, at, outage))
    return first === undefined ? [] : [first.at - outage.from]
  })
  const lateClosings = shared.filter((outage) => {
    const { factor, to } = outage
    if (!opened.some(({ incident, at }) => isOf(incident, at, outage))) return false
    const end = closed.find(
      ({ incident, at }) => factorKey(incident.factor) === factorKey(factor) && at > to - 30,
    )
    return end === undefined || end.at > to + closingMinutesMax
  }).length
  return {
    rule: 'shared incident',
    simulatedDays: days,
    falseAlarms,
    falseAlarmsPerMonth: (falseAlarms / days) * 30,
    falseAlarmsPerMonthMax: 1 / 12,
    per: 'per catalog',
    events: shared.length,
    found: delays.length,
    delayMinutes: delaysOf(delays, shared.length),
    delayMinutesMax: 10,
    lateClosings,
    said: said.map(({ incident, at }) => ({
      key: factorKey(incident.factor),
      confidence: incident.confidence,
      isTrue: shared.some((outage) => isOf(incident, at, outage)),
    })),
  }
}

/** Whether an incident that was said at a minute is of this outage. */
const isOf = (incident: OpenIncident, at: number, { factor, region, from, to }: SharedOutage) =>
  factorKey(incident.factor) === factorKey(factor) &&
  (region === null || (incident.region ?? null) === region) &&
  at >= from &&
  at <= to + afterMinutes

type Change = { incident: OpenIncident; at: number }

/** `said` are the incidents as they were at their clearest, with when they opened. */
export const play = (
  services: readonly CatalogService[],
  failures: readonly SimulatedFailure[],
  minutes: number,
): { opened: Change[]; closed: Change[]; said: Change[] } => {
  const pending = failures.toSorted((a, b) => a.from - b.from)
  const [opened, closed]: [Change[], Change[]] = [[], []]
  const said = new Map<string, Change>()
  const view = createView(services)
  let state: SharedState = newSharedState
  let failing: SimulatedFailure[] = []
  let next = 0
  for (let minute = 0; minute < minutes; minute += 1) {
    const since = next
    while ((pending[next]?.from ?? Infinity) <= minute) next += 1
    const still = failing.filter(({ to }) => to > minute)
    const isSame = next === since && still.length === failing.length
    if (!isSame) failing = [...still, ...pending.slice(since, next).filter(({ to }) => to > minute)]
    // what opened none at the last look opens none now
    if (state.open.length === 0 && isSame) continue
    const before = new Map(state.open.map((one) => [keyOf(one), one]))
    state = observeCatalog(state, view(failing), minute * minuteMs)
    for (const incident of state.open) {
      const key = keyOf(incident)
      const change = { incident, at: said.get(key)?.at ?? minute }
      if (!before.delete(key)) {
        opened.push({ incident, at: minute })
        change.at = minute
      }
      said.set(key, change)
    }
    for (const incident of before.values()) closed.push({ incident, at: minute })
  }
  return { opened, closed, said: [...said.values()] }
}

const keyOf = ({ factor, region, sinceMs }: OpenIncident): string =>
  `${factorKey(factor)} ${region ?? ''} ${sinceMs}`

/** The catalog as its probes see it while some of it fails. */
const createView = (services: readonly CatalogService[]) => {
  const well = new Map(
    services.map((service): [string, ObservedService] => [
      service.slug,
      {
        slug: service.slug,
        name: service.name,
        vendor: service.vendor,
        factors: listedFactors(service),
        standing: 'well',
        regions: [],
        sinceMs: null,
        failures: [],
        wellIn: regions,
      },
    ]),
  )
  return (failing: readonly SimulatedFailure[]): ObservedService[] => {
    const seen = new Map(well)
    for (const [slug, own] of Map.groupBy(failing, (failure) => failure.slug)) {
      const service = well.get(slug)
      if (service !== undefined) seen.set(slug, seeFailing(service, own))
    }
    return [...seen.values()]
  }
}

const seeFailing = (service: ObservedService, failing: readonly SimulatedFailure[]): ObservedService => {
  const gone = failing.some(({ sign }) => sign === 'unread')
  const failures = regions.flatMap((region) => {
    const own = failing.filter((one) => one.regions.includes(region))
    const first = own.toSorted((a, b) => a.from - b.from)[0]
    if (gone || first === undefined || first.sign === 'unread') return []
    return [{ region, sinceMs: first.from * minuteMs, sign: first.sign, mark: first.mark }]
  })
  const down = failures.map(({ region }) => region)
  const standing = gone || down.length === 1 ? 'unknown' : down.length > 1 ? 'failing' : 'well'
  return {
    ...service,
    standing,
    regions: down,
    sinceMs: standing === 'failing' ? Math.min(...failures.map(({ sinceMs }) => sinceMs)) : null,
    failures,
    wellIn: gone ? [] : regions.filter((region) => !down.includes(region)),
  }
}
