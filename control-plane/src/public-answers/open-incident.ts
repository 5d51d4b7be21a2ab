import type { Region } from '@probe-mesh/contracts/reading/regions'
import {
  factorKey,
  failsLike,
  onsetMs,
  type Factor,
  type ObservedService,
  type SuspectedFactor,
} from './shared-factors.ts'

/** A service whose outage is evidence for an incident. Times are Unix milliseconds. */
type Member = {
  slug: string
  name: string
  sinceMs: number
  /** When it was last seen failing. */
  failedAtMs: number
  failing: boolean
}

/** An open shared incident. */
export type OpenIncident = {
  factor: Factor
  /** The region of a regional incident; absent or null if the incident spans several. */
  region?: Region | null | undefined
  sinceMs: number
  /** By slug. */
  members: readonly Member[]
  /** The largest number of simultaneous failures. Closing is measured against it. */
  peak: number
  measuredCount: number
  regions: readonly Region[]
  confidence: number
  /** Since when too few members fail to keep it open; null while enough do. */
  quietSinceMs: number | null
}

/** An incident closes after `quietMs` with fewer failures than this share of its peak, or than `stayMin`. */
const stayShare = 1 / 3
const stayMin = 2
const quietMs = 600_000
/** A member without measurements counts as failing for this long. */
const silenceMs = 3_600_000

/**
 * Opens an incident from its first evidence.
 * @param region the region of a regional incident; null: several
 */
export const openIncident = (
  suspect: SuspectedFactor,
  region: Region | null,
  nowMs: number,
): OpenIncident => {
  const members = suspect.members.map((service) => memberOf(service, nowMs)).toSorted(bySlugs)
  return {
    factor: suspect.factor,
    region,
    sinceMs: Math.min(...members.map(({ sinceMs }) => sinceMs)),
    members,
    peak: members.length,
    measuredCount: suspect.measuredCount,
    regions: regionsOf(suspect.members),
    confidence: confidenceOf(suspect.chance),
    quietSinceMs: null,
  }
}

/**
 * Updates an incident from the current state of the catalog: members fail or recover, other failing services
 * of its factor join, and the quiet period before its end starts or is interrupted.
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
      service.health === 'failing' &&
      !known.has(service.slug) &&
      (service.sinceMs ?? 0) >= incident.sinceMs - onsetMs &&
      failsLike(service, factor),
  )
  const members = [
    ...incident.members.map((member) => updateMember(member, bySlug.get(member.slug), nowMs)),
    ...joined.map((service) => memberOf(service, nowMs)),
  ].toSorted(bySlugs)
  const failing = members.filter((member) => member.failing)
  const peak = Math.max(incident.peak, failing.length)
  const isQuiet = failing.length < Math.max(stayMin, peak * stayShare)
  const measured = own.filter(({ health }) => health !== 'unknown')
  return {
    ...incident,
    members,
    peak,
    measuredCount: Math.max(measured.length, members.length),
    regions: [...new Set([...incident.regions, ...regionsOf(joined)])].toSorted(),
    quietSinceMs: isQuiet ? (incident.quietSinceMs ?? nowMs) : null,
  }
}

/** Whether the quiet period has ended. */
export const isOver = ({ quietSinceMs }: OpenIncident, nowMs: number): boolean =>
  quietSinceMs !== null && nowMs - quietSinceMs >= quietMs

const updateMember = (member: Member, service: ObservedService | undefined, nowMs: number): Member => {
  const health = service?.health ?? 'unknown'
  switch (health) {
    case 'failing':
      return { ...member, failing: true, failedAtMs: nowMs }
    case 'healthy':
      return { ...member, failing: false }
    case 'unknown':
      return { ...member, failing: member.failing && nowMs - member.failedAtMs < silenceMs }
    default:
      return health satisfies never
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

/** Calibrated on simulated years of the catalog; `simulation/calibration.test.ts` checks the calibration. */
const clearest = { chance: 1e-6, confidence: 0.98 }
const faintest = { chance: 1e-3, confidence: 0.9 }

/**
 * How likely a shared incident is real, from the chance that unrelated outages form the same pattern. The
 * smaller the chance, the higher the confidence.
 * @param chance corrected for the number of tested factors, as in `strongestFactor`
 */
export const confidenceOf = (chance: number): number => {
  const span = Math.log10(faintest.chance / clearest.chance)
  const above = Math.log10(Math.max(chance, clearest.chance) / clearest.chance)
  const share = Math.min(1, above / span)
  const lost = share * (clearest.confidence - faintest.confidence)
  return Math.round((clearest.confidence - lost) * 1e3) / 1e3
}
