import type { Region } from '@probe-mesh/contracts/reading/regions'
import { confidenceOf, isOver, openIncident, updateIncident, type OpenIncident } from './open-incident.ts'
import {
  chanceOfFactor,
  factorKey,
  failsLike,
  membersMin,
  seenFromRegion,
  strongestFactor,
  unknownFactor,
  type ObservedService,
  type SuspectedFactor,
} from './shared-factors.ts'

export type SharedState = {
  open: readonly OpenIncident[]
  /** Ongoing outages that were evidence of a closed incident. They cannot open another incident. */
  spent: readonly { slug: string; sinceMs: number }[]
}

export const newSharedState: SharedState = { open: [], spent: [] }

const incidentsMax = 5

/**
 * Updates the incidents from the current state of the catalog (S-1405, S-1412). `strongestFactor` decides
 * what opens an incident. An outage is evidence for one incident only. Closing has its own rule, so that an
 * incident does not flap with its last members. Missing measurements open no incident and close none for an
 * hour.
 *
 * Limits, tested by `simulation/`: at most one false alarm a year; a shared outage of half of a factor's
 * services is reported within 10 minutes in 95 % of cases, and its incident closes at most 12 minutes after
 * its end.
 */
export const observeCatalog = (
  state: SharedState,
  services: readonly ObservedService[],
  nowMs: number,
): SharedState => {
  const views = createCatalogViews(services)
  const { bySlug } = views.all
  const updated = state.open.map((incident) => {
    const view = views.of(incident.region ?? null)
    return raiseConfidence(updateIncident(incident, view.services, view.bySlug, nowMs), view.services)
  })
  const open = updated.filter((incident) => !isOver(incident, nowMs))
  const closed = updated.filter((incident) => isOver(incident, nowMs))
  const survivors = closed.flatMap(({ members }) =>
    members.map(({ slug }) => ({ slug, sinceMs: outageOf(bySlug.get(slug)) })),
  )
  const spent = [...state.spent, ...survivors].flatMap(({ slug, sinceMs }) =>
    sinceMs !== null && outageOf(bySlug.get(slug)) === sinceMs ? [{ slug, sinceMs }] : [],
  )
  /** The services that no incident explains. */
  const unexplained = (
    some: readonly ObservedService[],
    incidents: readonly OpenIncident[],
  ): ObservedService[] => {
    const members = incidents.flatMap((incident) => incident.members)
    const explained = new Set([...spent, ...members].map(({ slug }) => slug))
    return some.filter(({ slug }) => !explained.has(slug))
  }
  // an incident of one region does not explain failures in several
  const left = unexplained(services, open.filter(isWide))
  const opened = explain(left, null, incidentsMax - open.length, nowMs)
  const all = [...open, ...opened]
  const mass = massFailure(services, all)
  if (mass !== null) return { open: [openIncident(mass, null, nowMs)], spent }
  for (const region of regionsFailing(services)) {
    const leftThere = unexplained(views.of(region).services, all)
    all.push(...explain(leftThere, region, incidentsMax - all.length, nowMs))
  }
  return { open: withoutDuplicates(all), spent }
}

/** More evidence raises the confidence of an open incident. Nothing lowers it. */
const raiseConfidence = (incident: OpenIncident, services: readonly ObservedService[]): OpenIncident => {
  const { factor, confidence } = incident
  if (factor.kind === 'unknown') return incident
  const now = confidenceOf(chanceOfFactor(factor, services))
  return now > confidence ? { ...incident, confidence: now } : incident
}

type CatalogView = {
  services: readonly ObservedService[]
  bySlug: ReadonlyMap<string, ObservedService>
}

/** The catalog as seen from all regions together, and from each one. */
const createCatalogViews = (services: readonly ObservedService[]) => {
  const viewOf = (seen: readonly ObservedService[]): CatalogView => ({
    services: seen,
    bySlug: new Map(seen.map((service) => [service.slug, service])),
  })
  const all = viewOf(services)
  const views = new Map<Region, CatalogView>()
  return {
    all,
    of: (region: Region | null): CatalogView => {
      if (region === null) return all
      const view = views.get(region) ?? viewOf(services.map((service) => seenFromRegion(service, region)))
      views.set(region, view)
      return view
    },
  }
}

/** Regions with enough failures that occur in no other region. */
const regionsFailing = (services: readonly ObservedService[]): Region[] => {
  const counts = new Map<Region, number>()
  for (const { health, failures } of services) {
    if (health === 'failing') continue
    for (const { region, mode } of failures) {
      if (mode === 'wrong_answer') counts.set(region, (counts.get(region) ?? 0) + 1)
    }
  }
  return [...counts].flatMap(([region, count]) => (count >= membersMin ? [region] : [])).toSorted()
}

/** Drops regional incidents whose factor also has an incident in several regions. */
const withoutDuplicates = (incidents: readonly OpenIncident[]): OpenIncident[] => {
  const wide = new Set(incidents.filter(isWide).map(({ factor }) => factorKey(factor)))
  return incidents.filter((one) => isWide(one) || !wide.has(factorKey(one.factor)))
}

const isWide = ({ region }: OpenIncident): boolean => (region ?? null) === null

/**
 * The mass failure: most of the catalog fails, and so do most services that no open incident explains, so no
 * shared factor stands out. Null while an incident of unknown cause is open.
 */
const massFailure = (
  services: readonly ObservedService[],
  open: readonly OpenIncident[],
): SuspectedFactor | null => {
  if (open.some(({ factor }) => factor.kind === 'unknown')) return null
  const known = services.filter(({ health }) => health !== 'unknown')
  const factorsOpen = new Set(open.map(({ factor }) => factorKey(factor)))
  const rest = known.filter(({ factors }) => !factors.some((factor) => factorsOpen.has(factorKey(factor))))
  const fails = (service: ObservedService): boolean =>
    service.health === 'failing' && failsLike(service, unknownFactor)
  const mostFail = (some: readonly ObservedService[]): boolean => some.filter(fails).length * 2 > some.length
  const members = known.filter(fails)
  if (members.length < membersMin || !mostFail(known) || !mostFail(rest)) return null
  return { factor: unknownFactor, members, measuredCount: known.length, chance: 0 }
}

/** The start of a service's current outage, which identifies the outage. */
const outageOf = (service: ObservedService | undefined): number | null =>
  service?.health === 'failing' ? service.sinceMs : null

/** The open incident with the most evidence; null without one. */
export const leadingIncident = ({ open }: SharedState): OpenIncident | null =>
  open.toSorted(
    (a, b) =>
      b.peak - a.peak || a.sinceMs - b.sinceMs || (factorKey(a.factor) < factorKey(b.factor) ? -1 : 1),
  )[0] ?? null

/**
 * Opens incidents greedily: the strongest factor explains its outages, the next one must explain the rest.
 */
const explain = (
  services: readonly ObservedService[],
  region: Region | null,
  incidents: number,
  nowMs: number,
): OpenIncident[] => {
  if (incidents <= 0) return []
  const suspect = strongestFactor(services)
  if (suspect === null) return []
  const explained = new Set(suspect.members.map(({ slug }) => slug))
  const left = services.filter(({ slug }) => !explained.has(slug))
  return [openIncident(suspect, region, nowMs), ...explain(left, region, incidents - 1, nowMs)]
}
