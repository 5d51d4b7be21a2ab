import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import { listedFactors, factorKey, type ObservedService } from '../shared-factors.ts'
import type { OpenIncident } from '../open-incident.ts'
import { newSharedState, observeCatalog, type SharedState } from '../shared-incident.ts'
import { delaysOf, type Outcome } from './outcome.ts'
import { createRandom } from './random.ts'
import type { Prediction } from './reliability.ts'
import {
  largeFactors,
  massOutage,
  measurementGaps,
  regionFaults,
  regions,
  serviceOutages,
  sharedOutage,
  vendorOutages,
  type SharedOutage,
  type SimulatedFailure,
} from './simulated-world.ts'

const dayMinutes = 1_440
const minuteMs = 60_000
/** One in this many shared outages fails most of the catalog. */
const massEvery = 10
/** The longest time from the end of a shared outage until its incident closes. */
export const closingMinutesMax = 12
/** An incident that opens up to this long after the end of an outage belongs to it. */
const afterMinutes = 2

/** The interval of shared outages, and the smallest share of a factor's services that fail. */
type SharedOutages = { sharedEveryDays: number; shareMin: number }
/** More frequent than real ones, for enough samples. */
const frequent: SharedOutages = { sharedEveryDays: 5, shareMin: 0.5 }

type IncidentPrediction = Prediction & { key: string }

type IncidentOutcome = Outcome & { lateClosings: number; predictions: readonly IncidentPrediction[] }

/**
 * Simulates a catalog for `days`, minute by minute: outages of single services and of vendors, faults of one
 * or two regions, and gaps in measuring. Then it adds shared outages.
 */
export const simulateIncidents = (
  services: readonly CatalogService[],
  days: number,
  seed: number,
  { sharedEveryDays, shareMin }: SharedOutages = frequent,
): IncidentOutcome => {
  const random = createRandom(seed)
  const minutes = days * dayMinutes
  const unrelated = [
    ...serviceOutages(services, minutes, random),
    ...vendorOutages(services, minutes, random).flatMap(({ failures }) => failures),
    ...regionFaults(services, minutes, random),
    ...measurementGaps(services, minutes, random),
  ]
  const falseAlarms = replay(services, unrelated, minutes).opened.length
  const factors = largeFactors(services)
  const shared = Array.from({ length: Math.floor(days / sharedEveryDays) }, (_, index) => {
    const from = (index + 0.2 + 0.5 * random.uniform()) * sharedEveryDays * dayMinutes
    const factor = factors[Math.floor(random.uniform() * factors.length)]
    return factor === undefined || index % massEvery === massEvery - 1
      ? massOutage(services, from, random)
      : sharedOutage(services, factor, { from, shareMin }, random)
  })
  const all = [...unrelated, ...shared.flatMap(({ failures }) => failures)]
  const { opened, closed, clearest } = replay(services, all, minutes)
  const delays = shared.flatMap((outage) => {
    const first = opened.find(({ incident, at }) => belongsTo(incident, at, outage))
    return first === undefined ? [] : [first.at - outage.from]
  })
  const lateClosings = shared.filter((outage) => {
    const { factor, to } = outage
    if (!opened.some(({ incident, at }) => belongsTo(incident, at, outage))) return false
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
    predictions: clearest.map(({ incident, at }) => ({
      key: factorKey(incident.factor),
      confidence: incident.confidence,
      isCorrect: shared.some((outage) => belongsTo(incident, at, outage)),
    })),
  }
}

/** Whether an incident that opened at a minute belongs to this outage. */
const belongsTo = (incident: OpenIncident, at: number, { factor, region, from, to }: SharedOutage) =>
  factorKey(incident.factor) === factorKey(factor) &&
  (region === null || (incident.region ?? null) === region) &&
  at >= from &&
  at <= to + afterMinutes

type Change = { incident: OpenIncident; at: number }

/**
 * Replays the failures.
 * @returns `clearest`: each incident with its highest confidence and the minute it opened
 */
export const replay = (
  services: readonly CatalogService[],
  failures: readonly SimulatedFailure[],
  minutes: number,
): { opened: Change[]; closed: Change[]; clearest: Change[] } => {
  const pending = failures.toSorted((a, b) => a.from - b.from)
  const [opened, closed]: [Change[], Change[]] = [[], []]
  const clearest = new Map<string, Change>()
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
    // unchanged failures that opened no incident before open none now
    if (state.open.length === 0 && isSame) continue
    const before = new Map(state.open.map((one) => [keyOf(one), one]))
    state = observeCatalog(state, view(failing), minute * minuteMs)
    for (const incident of state.open) {
      const key = keyOf(incident)
      const change = { incident, at: clearest.get(key)?.at ?? minute }
      if (!before.delete(key)) {
        opened.push({ incident, at: minute })
        change.at = minute
      }
      clearest.set(key, change)
    }
    for (const incident of before.values()) closed.push({ incident, at: minute })
  }
  return { opened, closed, clearest: [...clearest.values()] }
}

const keyOf = ({ factor, region, sinceMs }: OpenIncident): string =>
  `${factorKey(factor)} ${region ?? ''} ${sinceMs}`

/** Returns the observed state of the catalog for a set of failures. */
const createView = (services: readonly CatalogService[]) => {
  const healthy = new Map(
    services.map((service): [string, ObservedService] => [
      service.slug,
      {
        slug: service.slug,
        name: service.name,
        vendor: service.vendor,
        factors: listedFactors(service),
        health: 'healthy',
        regions: [],
        sinceMs: null,
        failures: [],
        upIn: regions,
      },
    ]),
  )
  return (failing: readonly SimulatedFailure[]): ObservedService[] => {
    const observed = new Map(healthy)
    for (const [slug, own] of Map.groupBy(failing, (failure) => failure.slug)) {
      const service = healthy.get(slug)
      if (service !== undefined) observed.set(slug, observeFailing(service, own))
    }
    return [...observed.values()]
  }
}

const observeFailing = (service: ObservedService, failing: readonly SimulatedFailure[]): ObservedService => {
  const isUnmeasured = failing.some(({ mode }) => mode === 'unmeasured')
  const failures = regions.flatMap((region) => {
    const own = failing.filter((one) => one.regions.includes(region))
    const first = own.toSorted((a, b) => a.from - b.from)[0]
    if (isUnmeasured || first === undefined || first.mode === 'unmeasured') return []
    return [{ region, sinceMs: first.from * minuteMs, mode: first.mode, mark: first.mark }]
  })
  const down = failures.map(({ region }) => region)
  const health = isUnmeasured || down.length === 1 ? 'unknown' : down.length > 1 ? 'failing' : 'healthy'
  return {
    ...service,
    health,
    regions: down,
    sinceMs: health === 'failing' ? Math.min(...failures.map(({ sinceMs }) => sinceMs)) : null,
    failures,
    upIn: isUnmeasured ? [] : regions.filter((region) => !down.includes(region)),
  }
}
