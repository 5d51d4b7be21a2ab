import type { Region } from '@probe-mesh/contracts/reading/regions'
import { confidenceOf, isOver, openIncident, updateIncident } from './open-incident.ts'
import { chanceThat, factorKey, fits, membersMin, seenFrom, strongestFactor } from './shared-factors.ts'
import type { Factor, ObservedService, Suspicion } from './shared-factors.ts'
import type { OpenIncident } from './open-incident.ts'

export type SharedState = {
  open: readonly OpenIncident[]
  /** Outages that a closed incident had as evidence and that go on: they open no other one. */
  spent: readonly { slug: string; sinceMs: number }[]
}

export const newSharedState: SharedState = { open: [], spent: [] }

const incidentsMax = 5

/**
 * Takes one look at the catalog into account (S-1405, S-1412). What opens an incident is
 * written at `strongestFactor`; outages that one explains are no evidence for another. It closes by
 * a rule of its own, so that it does not come and go with its last members; silence neither opens
 * nor closes one for an hour.
 *
 * Limits, held by `simulation/`: at most one false alarm a year of unrelated outages; of a shared
 * one that takes half of its services, said within ten minutes in 95 of 100 cases, and closed
 * twelve minutes after its end at the latest.
 */
export const observeCatalog = (
  state: SharedState,
  services: readonly ObservedService[],
  nowMs: number,
): SharedState => {
  const looks = createLooks(services)
  const { bySlug } = looks.all
  const updated = state.open.map((incident) => {
    const look = looks.of(incident.region ?? null)
    return clearer(updateIncident(incident, look.services, look.bySlug, nowMs), look.services)
  })
  const open = updated.filter((incident) => !isOver(incident, nowMs))
  const closed = updated.filter((incident) => isOver(incident, nowMs))
  const survivors = closed.flatMap(({ members }) =>
    members.map(({ slug }) => ({ slug, sinceMs: outageOf(bySlug.get(slug)) })),
  )
  const spent = [...state.spent, ...survivors].flatMap(({ slug, sinceMs }) =>
    sinceMs !== null && outageOf(bySlug.get(slug)) === sinceMs ? [{ slug, sinceMs }] : [],
  )
  /** What no incident explains; one of a region explains nothing that fails in several. */
  const leftOf = (
    some: readonly ObservedService[],
    incidents: readonly OpenIncident[],
  ): ObservedService[] => {
    const members = incidents.flatMap((incident) => incident.members)
    const explained = new Set([...spent, ...members].map(({ slug }) => slug))
    return some.filter(({ slug }) => !explained.has(slug))
  }
  const left = leftOf(services, open.filter(isWide))
  const opened = explain(left, null, incidentsMax - open.length, nowMs)
  const all = [...open, ...opened]
  const mass = massFailure(services, all)
  if (mass !== null) return { open: [openIncident(mass, null, nowMs)], spent }
  for (const region of regionsFailing(services)) {
    const leftThere = leftOf(looks.of(region).services, all)
    all.push(...explain(leftThere, region, incidentsMax - all.length, nowMs))
  }
  return { open: withoutRepeats(all), spent }
}

/** An incident opens with its first evidence; what joins makes it clearer, and nothing less so. */
const clearer = (incident: OpenIncident, services: readonly ObservedService[]): OpenIncident => {
  const { factor, confidence } = incident
  if (factor.kind === 'unknown') return incident
  const now = confidenceOf(chanceThat(factor, services))
  return now > confidence ? { ...incident, confidence: now } : incident
}

type Look = { services: readonly ObservedService[]; bySlug: ReadonlyMap<string, ObservedService> }

/** The catalog as all regions see it, and as one does. */
const createLooks = (services: readonly ObservedService[]) => {
  const lookAt = (seen: readonly ObservedService[]): Look => ({
    services: seen,
    bySlug: new Map(seen.map((service) => [service.slug, service])),
  })
  const all = lookAt(services)
  const looks = new Map<Region, Look>()
  return {
    all,
    of: (region: Region | null): Look => {
      if (region === null) return all
      const look = looks.get(region) ?? lookAt(services.map((service) => seenFrom(service, region)))
      looks.set(region, look)
      return look
    },
  }
}

/** Regions in which enough fails that fails nowhere else. */
const regionsFailing = (services: readonly ObservedService[]): Region[] => {
  const counts = new Map<Region, number>()
  for (const { standing, failures } of services) {
    if (standing === 'failing') continue
    for (const { region, sign } of failures) {
      if (sign === 'answered') counts.set(region, (counts.get(region) ?? 0) + 1)
    }
  }
  return [...counts].flatMap(([region, count]) => (count >= membersMin ? [region] : [])).toSorted()
}

/** An incident of one region is part of the one that its factor has in several. */
const withoutRepeats = (incidents: readonly OpenIncident[]): OpenIncident[] => {
  const wide = new Set(incidents.filter(isWide).map(({ factor }) => factorKey(factor)))
  return incidents.filter((one) => isWide(one) || !wide.has(factorKey(one.factor)))
}

const isWide = ({ region }: OpenIncident): boolean => (region ?? null) === null

/**
 * When most of the catalog fails, and most of what no incident explains fails too, that is the
 * incident: nothing that services share stands out. Null while one is open, which goes on.
 */
const massFailure = (
  services: readonly ObservedService[],
  open: readonly OpenIncident[],
): Suspicion | null => {
  if (open.some(({ factor }) => factor.kind === 'unknown')) return null
  const known = services.filter(({ standing }) => standing !== 'unknown')
  const factorsOpen = new Set(open.map(({ factor }) => factorKey(factor)))
  const rest = known.filter(({ factors }) => !factors.some((factor) => factorsOpen.has(factorKey(factor))))
  const fails = (service: ObservedService): boolean =>
    service.standing === 'failing' && fits(service, nothingKnown)
  const mostFail = (some: readonly ObservedService[]): boolean => some.filter(fails).length * 2 > some.length
  const members = known.filter(fails)
  if (members.length < membersMin || !mostFail(known) || !mostFail(rest)) return null
  return { factor: nothingKnown, members, measuredCount: known.length, chance: 0 }
}

const nothingKnown: Factor = { kind: 'unknown', name: 'unknown' }

/** Since when a service fails: what tells its outages apart. */
const outageOf = (service: ObservedService | undefined): number | null =>
  service?.standing === 'failing' ? service.sinceMs : null

/** The incident to speak of: the one with the most evidence; null when none is under way. */
export const leadingIncident = ({ open }: SharedState): OpenIncident | null =>
  open.toSorted(
    (a, b) =>
      b.peak - a.peak || a.sinceMs - b.sinceMs || (factorKey(a.factor) < factorKey(b.factor) ? -1 : 1),
  )[0] ?? null

/** Greedy: the strongest factor takes its outages with it, the next must explain what is left. */
const explain = (
  services: readonly ObservedService[],
  region: Region | null,
  incidents: number,
  nowMs: number,
): OpenIncident[] => {
  if (incidents <= 0) return []
  const suspicion = strongestFactor(services)
  if (suspicion === null) return []
  const taken = new Set(suspicion.members.map(({ slug }) => slug))
  const left = services.filter(({ slug }) => !taken.has(slug))
  return [openIncident(suspicion, region, nowMs), ...explain(left, region, incidents - 1, nowMs)]
}
