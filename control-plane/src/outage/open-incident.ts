import type { Region } from '@probe-mesh/contracts/reading/regions'
import { factorKey, fits, onsetMs } from './shared-factors.ts'
import type { Factor, ObservedService, Suspicion } from './shared-factors.ts'

/** A service whose outage is evidence. Times are Unix milliseconds. */
export type Member = {
  slug: string
  name: string
  sinceMs: number
  /** When it was last seen failing, and whether it has been seen well since. */
  failedAtMs: number
  failing: boolean
}

/** A shared incident that is under way. */
export type OpenIncident = {
  factor: Factor
  /** The one region that it is of; absent or null where it is of several. */
  region?: Region | null | undefined
  sinceMs: number
  /** By slug. */
  members: readonly Member[]
  /** The most that failed at once: what closing is measured by. */
  peak: number
  measuredCount: number
  regions: readonly Region[]
  confidence: number
  /** Since when too few fail to stay open; null while enough do. */
  quietSinceMs: number | null
}

/**
 * An incident closes when fewer than this share of its peak, or fewer than two, fail for `quietMs`.
 */
const stayShare = 1 / 3
const stayMin = 2
const quietMs = 600_000
/** A member that is not measured any more counts as failing for this long, then as nothing. */
const silenceMs = 3_600_000

/** An incident as its first evidence has it. @param region the only one that it is of; null: several */
export const openIncident = (suspicion: Suspicion, region: Region | null, nowMs: number): OpenIncident => {
  const members = suspicion.members.map((service) => memberOf(service, nowMs)).toSorted(bySlugs)
  return {
    factor: suspicion.factor,
    region,
    sinceMs: Math.min(...members.map(({ sinceMs }) => sinceMs)),
    members,
    peak: members.length,
    measuredCount: suspicion.measuredCount,
    regions: regionsOf(suspicion.members),
    confidence: confidenceOf(suspicion.chance),
    quietSinceMs: null,
  }
}

/**
 * An incident after another look: members fail or recover, services of its factor that fail now
 * join them, and the quiet before its end begins or is over.
 */
export const updateIncident = (
  incident: OpenIncident,
  services: readonly ObservedService[],
  bySlug: ReadonlyMap<string, ObservedService>,
  nowMs: number,
): OpenIncident => {
  const { factor } = incident
  const key = factorKey(factor)
  const own =
    factor.kind === 'unknown'
      ? services
      : services.filter(({ factors }) => factors.some((one) => factorKey(one) === key))
  const known = new Set(incident.members.map(({ slug }) => slug))
  const joined = own.filter(
    (service) =>
      service.standing === 'failing' &&
      !known.has(service.slug) &&
      (service.sinceMs ?? 0) >= incident.sinceMs - onsetMs &&
      fits(service, factor),
  )
  const members = [
    ...incident.members.map((member) => updateMember(member, bySlug.get(member.slug), nowMs)),
    ...joined.map((service) => memberOf(service, nowMs)),
  ].toSorted(bySlugs)
  const failing = members.filter((member) => member.failing)
  const peak = Math.max(incident.peak, failing.length)
  const isQuiet = failing.length < Math.max(stayMin, peak * stayShare)
  const measured = own.filter(({ standing }) => standing !== 'unknown')
  return {
    ...incident,
    members,
    peak,
    measuredCount: Math.max(measured.length, members.length),
    regions: [...new Set([...incident.regions, ...regionsOf(joined)])].toSorted(),
    quietSinceMs: isQuiet ? (incident.quietSinceMs ?? nowMs) : null,
  }
}

/** It was quiet for long enough. */
export const isOver = ({ quietSinceMs }: OpenIncident, nowMs: number): boolean =>
  quietSinceMs !== null && nowMs - quietSinceMs >= quietMs

const updateMember = (member: Member, service: ObservedService | undefined, nowMs: number): Member => {
  const standing = service?.standing ?? 'unknown'
  switch (standing) {
    case 'failing':
      return { ...member, failing: true, failedAtMs: nowMs }
    case 'well':
      return { ...member, failing: false }
    case 'unknown':
      return { ...member, failing: member.failing && nowMs - member.failedAtMs < silenceMs }
    default:
      return standing satisfies never
  }
}

const memberOf = ({ slug, name, sinceMs }: ObservedService, nowMs: number): Member => ({
  slug,
  name,
  sinceMs: sinceMs ?? nowMs,
  failedAtMs: nowMs,
  failing: true,
})

const regionsOf = (services: readonly ObservedService[]): Region[] =>
  [...new Set(services.flatMap(({ regions }) => regions))].toSorted()

const bySlugs = (a: Member, b: Member): number => (a.slug < b.slug ? -1 : 1)

/** What simulated years of the catalog have shown; `simulation/calibration.test.ts` holds it to them. */
const clearest = { chance: 1e-6, confidence: 0.98 }
const faintest = { chance: 1e-3, confidence: 0.9 }

/**
 * How likely a shared incident is true, by the chance that unrelated outages would fall like its own:
 * what is just unlikely enough to be said is wrong now and then, and what is far more unlikely hardly.
 * @param chance over all factors that could be accused, as `strongestFactor` has it
 */
export const confidenceOf = (chance: number): number => {
  const span = Math.log10(faintest.chance / clearest.chance)
  const above = Math.log10(Math.max(chance, clearest.chance) / clearest.chance)
  const share = Math.min(1, above / span)
  const lost = share * (clearest.confidence - faintest.confidence)
  return Math.round((clearest.confidence - lost) * 1e3) / 1e3
}
