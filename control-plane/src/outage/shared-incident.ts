import { factorKey, strongestFactor } from './shared-factors.ts'
import type { ObservedService } from './shared-factors.ts'
import { isOver, openIncident, updateIncident } from './open-incident.ts'
import type { OpenIncident } from './open-incident.ts'

export type SharedState = {
  open: readonly OpenIncident[]
  /** Outages that a closed incident had as evidence and that go on: they open no other one. */
  spent: readonly { slug: string; sinceMs: number }[]
}

export const newSharedState: SharedState = { open: [], spent: [] }

const incidentsMax = 5

/**
 * Takes one look at the catalog into account (specification, "Shared-infrastructure incident:
 * inferred from probe-confirmed outages correlated across the catalog"). What opens an incident is
 * written at `strongestFactor`; outages that one explains are no evidence for another. It closes by
 * a rule of its own, so that it does not come and go with its last members; silence neither opens
 * nor closes one for an hour.
 *
 * Limits, held by `simulation/`: at most one false alarm a year of unrelated outages; of a shared
 * one that takes a third of its services, said within ten minutes in 95 of 100 cases, and closed
 * twelve minutes after its end at the latest.
 */
export const observeCatalog = (
  state: SharedState,
  services: readonly ObservedService[],
  nowMs: number,
): SharedState => {
  const bySlug = new Map(services.map((service) => [service.slug, service]))
  const updated = state.open.map((incident) => updateIncident(incident, services, bySlug, nowMs))
  const open = updated.filter((incident) => !isOver(incident, nowMs))
  const closed = updated.filter((incident) => isOver(incident, nowMs))
  const left = closed.flatMap(({ members }) =>
    members.map(({ slug }) => ({ slug, sinceMs: outageOf(bySlug.get(slug)) })),
  )
  const spent = [...state.spent, ...left].flatMap(({ slug, sinceMs }) =>
    sinceMs !== null && outageOf(bySlug.get(slug)) === sinceMs ? [{ slug, sinceMs }] : [],
  )
  const explained = new Set(
    [...spent, ...open.flatMap(({ members }) => members)].map(({ slug }) => slug),
  )
  const unexplained = services.filter(({ slug }) => !explained.has(slug))
  return {
    open: [...open, ...explain(unexplained, incidentsMax - open.length, nowMs)],
    spent,
  }
}

/** Since when a service fails: what tells its outages apart. */
const outageOf = (service: ObservedService | undefined): number | null =>
  service?.standing === 'failing' ? service.sinceMs : null

/** The incident to speak of: the one with the most evidence; null when none is under way. */
export const leadingIncident = ({ open }: SharedState): OpenIncident | null =>
  open.toSorted(
    (a, b) =>
      b.peak - a.peak ||
      a.sinceMs - b.sinceMs ||
      (factorKey(a.factor) < factorKey(b.factor) ? -1 : 1),
  )[0] ?? null

/** Greedy: the strongest factor takes its outages with it, the next must explain what is left. */
const explain = (
  services: readonly ObservedService[],
  incidents: number,
  nowMs: number,
): OpenIncident[] => {
  if (incidents <= 0) return []
  const suspicion = strongestFactor(services)
  if (suspicion === null) return []
  const taken = new Set(suspicion.members.map(({ slug }) => slug))
  const left = services.filter(({ slug }) => !taken.has(slug))
  return [openIncident(suspicion, nowMs), ...explain(left, incidents - 1, nowMs)]
}
