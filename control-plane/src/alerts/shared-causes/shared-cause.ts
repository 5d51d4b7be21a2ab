import type { Factor } from '@probe-mesh/contracts/outage/answers'
import type { OpenIncident } from '../../public-answers/open-incident.ts'
import { factorKey, membersMin, onsetMs } from '../../public-answers/shared-factors.ts'

/** A check that is down, with the providers it was seen behind. Times are Unix milliseconds. */
export type FailingCheck = {
  id: string
  sinceMs: number
  /** The regions that see it fail. */
  regions: readonly string[]
  factors: readonly Factor[]
}

/** What is known about all checks of one account, and about the catalog. */
export type AccountEvidence = {
  failing: readonly FailingCheck[]
  /** Its operational checks: all, and those with each factor, by `factorKey`. */
  healthy: { count: number; withFactor: ReadonlyMap<string, number> }
  /** The shared incidents that outage answers report. */
  incidents: readonly OpenIncident[]
}

/** A provider whose failure explains why a check is down. */
export type SharedCause = {
  factor: Factor
  /** The checks of the account behind it that began to fail at that time, this one included; earliest first. */
  memberIds: readonly string[]
  /** All checks of the account that began to fail at that time. */
  failingCount: number
  /** When the first of its members began to fail. */
  sinceMs: number
  regions: readonly string[]
  /** Whether the account's own checks show it. */
  ownChecks: boolean
  /** What the catalog shows of it now; null: nothing. */
  catalog: (Pick<OpenIncident, 'sinceMs' | 'regions' | 'measuredCount'> & { failing: number }) | null
}

/** The least share of the failing checks that are behind the factor. */
const shareMin = 0.6
/** How far that share must be above the share of the healthy checks. */
const contrastMin = 0.3
const catalogRegionsMin = 2

/**
 * What the other checks of the account and the catalog know about the failure of a check; null if nothing fits
 * (S-1955, S-1959). Only failures that began within half an hour of this one count. A factor is named if at least three
 * of them, and three fifths, are behind it, and clearly more than of the healthy checks; or if the outage answers
 * report it as failing in at least two regions.
 */
export const sharedCauseOf = (checkId: string, evidence: AccountEvidence): SharedCause | null => {
  const { failing, incidents } = evidence
  const check = failing.find(({ id }) => id === checkId)
  if (check === undefined) return null
  const around = failing
    .filter(({ sinceMs }) => Math.abs(sinceMs - check.sinceMs) <= onsetMs)
    .toSorted((a, b) => a.sinceMs - b.sinceMs || (a.id < b.id ? -1 : 1))
  const found = check.factors.flatMap((factor): SharedCause[] => {
    const key = factorKey(factor)
    const members = around.filter(({ factors }) => factors.some((one) => factorKey(one) === key))
    const ownChecks = isShown(key, members.length, around.length, evidence)
    const incident = incidents.find((one) => factorKey(one.factor) === key && isWideNow(one))
    if (!ownChecks && incident === undefined) return []
    return [
      {
        factor,
        memberIds: members.map(({ id }) => id),
        failingCount: around.length,
        sinceMs: members[0]?.sinceMs ?? check.sinceMs,
        regions: [...new Set(members.flatMap(({ regions }) => regions))].toSorted(),
        ownChecks,
        catalog: incident === undefined ? null : catalogPart(incident),
      },
    ]
  })
  return found.toSorted(byStrength)[0] ?? null
}

/** Whether the account's own checks show the factor as the cause. */
const isShown = (key: string, members: number, failing: number, { healthy }: AccountEvidence): boolean => {
  // a provider of DNS is only seen where names fail, so nothing is known about healthy checks
  if (members < membersMin || key.startsWith('dns:')) return false
  const share = members / failing
  // as if half of one more healthy check were behind it: a few healthy checks say little
  const usual = ((healthy.withFactor.get(key) ?? 0) + 0.5) / (healthy.count + 1)
  return share >= shareMin && share - usual >= contrastMin
}

const isWideNow = ({ region, regions, quietSinceMs }: OpenIncident): boolean =>
  (region ?? null) === null && quietSinceMs === null && regions.length >= catalogRegionsMin

const catalogPart = ({ sinceMs, regions, measuredCount, members }: OpenIncident): SharedCause['catalog'] => ({
  sinceMs,
  regions,
  measuredCount,
  failing: members.filter((member) => member.failing).length,
})

const byStrength = (a: SharedCause, b: SharedCause): number =>
  Number(b.catalog !== null) - Number(a.catalog !== null) ||
  b.memberIds.length - a.memberIds.length ||
  (factorKey(a.factor) < factorKey(b.factor) ? -1 : 1)
