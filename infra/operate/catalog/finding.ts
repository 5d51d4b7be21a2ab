import type { CatalogProbe, CatalogService } from '@probe-mesh/contracts/outage/catalog'
import { gradeOf, gradeOnceVerified, type ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'
import { pageChangedCause, type Reading } from '@probe-mesh/contracts/reading/reading'

/** A probe of the catalog and its position in the file. */
export type Probed = { service: number; index: number; slug: string; probe: CatalogProbe }

/** The result of one probe of the live service. */
export type Finding = Probed & {
  /**
   * `good`: matches the catalog. `seen`: matches the documentation for the first time. `changed`: 2xx
   * with other content. `refused`, `failing`: not measurable with this probe. `unmeasured`: not probed.
   */
  outcome: 'good' | 'seen' | 'changed' | 'refused' | 'failing' | 'unmeasured'
  reason: string | null
  grade: ProbeGrade
  /** The new `verified` of the file; null clears it, absent keeps it. */
  verified?: string | null
}

type Seen = Pick<Reading, 'verdict' | 'cause' | 'reason'>

/**
 * Decides what a reading changes in the catalog. An unmeasured probe, a refusal or an outage changes
 * nothing, as it may pass.
 * @param today the date to write, as `2026-11-20`
 */
export const findingOf = (probed: Probed, { verdict, cause, reason }: Seen, today: string): Finding => {
  const { probe } = probed
  const isVerified = (probe.documented?.verified ?? null) !== null
  const grade = gradeOf(probe)
  if (verdict === 'up') {
    return probe.documented === undefined || isVerified
      ? { ...probed, outcome: 'good', reason: null, grade }
      : {
          ...probed,
          outcome: 'seen',
          reason: null,
          grade: gradeOnceVerified(probe),
          verified: today,
        }
  }
  if (verdict === 'unmeasured' && cause === pageChangedCause) {
    const taken = isVerified ? { verified: null } : {}
    return { ...probed, outcome: 'changed', reason, grade, ...taken }
  }
  const outcome = verdict === 'blocked' ? 'refused' : verdict === 'down' ? 'failing' : 'unmeasured'
  return { ...probed, outcome, reason, grade }
}

/** Every probe of some services, in the file's order. @param only slugs; empty: all */
export const probedOf = (services: readonly CatalogService[], only: readonly string[] = []): Probed[] =>
  services.flatMap(({ slug, probes }, service) =>
    only.length > 0 && !only.includes(slug)
      ? []
      : probes.map((probe, index) => ({ service, index, slug, probe })),
  )
