import { newSharedState, observeCatalog } from '../shared-incident.ts'
import type { SharedState } from '../shared-incident.ts'
import { membersMin } from '../shared-factors.ts'
import { delaysOf } from './outcome.ts'
import type { Outcome } from './outcome.ts'
import { createRandom } from './random.ts'
import { catalogOf, failuresOf, outageOf } from './simulated-catalog.ts'
import type { SimulatedFailure, SimulatedService } from './simulated-catalog.ts'

const dayMinutes = 1_440
const minuteMs = 60_000
const servicesCount = 160
const sharedEveryDays = 5
/** How long after the end of a shared outage it may still be said. */
export const closingMinutesMax = 12

/**
 * A catalog of 160 services for `days`, looked at every minute: outages of their own, more of them
 * in working hours, some of two services of one vendor at once, some that last for days. Then the
 * same with an outage of a shared factor every five days, of which a part of its services fails.
 */
export const simulateIncidents = (
  days: number,
  seed: number,
): Outcome & { lateClosings: number } => {
  const random = createRandom(seed)
  const services = catalogOf(servicesCount, random)
  const own = failuresOf(services, days * dayMinutes, random)
  const falseAlarms = play(services, own, days).opened.length
  const shared = Array.from({ length: Math.floor(days / sharedEveryDays) }, (_, index) => {
    const from = (index + 0.2 + 0.5 * random.uniform()) * sharedEveryDays * dayMinutes
    return outageOf(services, from, random)
  })
  const all = [...own, ...shared.flatMap(({ failures }) => failures)]
  const { opened, closed } = play(services, all, days)
  const delays = shared.flatMap(({ factor, from, to }) => {
    const first = opened.find(({ name, at }) => name === factor && at >= from && at <= to + 30)
    return first === undefined ? [] : [first.at - from]
  })
  const lateClosings = shared.filter(({ factor, to, from }) => {
    const end = closed.find(({ name, at }) => name === factor && at > from)
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
  }
}

type Change = { name: string; at: number }

const play = (
  services: readonly SimulatedService[],
  failures: readonly SimulatedFailure[],
  days: number,
): { opened: Change[]; closed: Change[] } => {
  const pending = failures.toSorted((a, b) => a.from - b.from)
  const [opened, closed]: [Change[], Change[]] = [[], []]
  let state: SharedState = newSharedState
  let failing: SimulatedFailure[] = []
  let next = 0
  for (let minute = 0; minute < days * dayMinutes; minute += 1) {
    const since = next
    while ((pending[next]?.from ?? Infinity) <= minute) next += 1
    const still = failing.filter(({ to }) => to > minute)
    const isSame = next === since && still.length === failing.length
    failing = [...still, ...pending.slice(since, next)]
    // fewer cannot open one, and what opened none at the last look opens none now
    if (state.open.length === 0 && (isSame || failing.length < membersMin)) continue
    const before = namesOf(state)
    state = observeCatalog(state, observed(services, failing), minute * minuteMs)
    const after = namesOf(state)
    opened.push(
      ...after.filter((name) => !before.includes(name)).map((name) => ({ name, at: minute })),
    )
    closed.push(
      ...before.filter((name) => !after.includes(name)).map((name) => ({ name, at: minute })),
    )
  }
  return { opened, closed }
}

const namesOf = ({ open }: SharedState): string[] => open.map(({ factor }) => factor.name)

const observed = (services: readonly SimulatedService[], failing: readonly SimulatedFailure[]) => {
  const since = new Map<string, number>()
  for (const { slug, from } of failing) since.set(slug, Math.min(from, since.get(slug) ?? from))
  return services.map((service) => {
    const from = since.get(service.slug)
    return from === undefined
      ? service
      : {
          ...service,
          standing: 'failing' as const,
          regions: ['fra', 'iad'],
          sinceMs: from * minuteMs,
        }
  })
}
