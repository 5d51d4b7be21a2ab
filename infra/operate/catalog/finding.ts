import type { CatalogProbe, CatalogService } from '@probe-mesh/contracts/outage/catalog'
import { gradeOf, gradeOnceVerified } from '@probe-mesh/contracts/outage/catalog-grade'
import type { ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'
import { pageChangedCause } from '@probe-mesh/contracts/reading/reading'
import type { Reading } from '@probe-mesh/contracts/reading/reading'

/** A probe of the catalog, and where it stands in the file. */
export type Probed = { service: number; index: number; slug: string; probe: CatalogProbe }

/** What a look at the live service says of a probe. */
export type Finding = Probed & {
  /**
   * `good`: as the catalog has it. `seen`: what is documented was seen for the first time. `changed`:
   * 2xx with other content. `refused`, `failing`: it cannot be measured like this. `unmeasured`: we
   * could not look.
   */
  outcome: 'good' | 'seen' | 'changed' | 'refused' | 'failing' | 'unmeasured'
  reason: string | null
  grade: ProbeGrade
  /** What the file's `verified` is to be; null takes it back, absent leaves it. */
  verified?: string | null
}

type Seen = Pick<Reading, 'verdict' | 'cause' | 'reason'>

/**
 * What is to change in the catalog where a probe read so by all that it expects and documents. What
 * was not measured changes nothing, and neither does a refusal or an outage, which may pass.
 * @param today the date to note, as `2026-11-20`
 */
export const findingOf = (
  probed: Probed,
  { verdict, cause, reason }: Seen,
  today: string,
): Finding => {
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

/** Every probe of some services, in the file's order. @param only the slugs wanted; empty: all */
export const probedOf = (
  services: readonly CatalogService[],
  only: readonly string[] = [],
): Probed[] =>
  services.flatMap(({ slug, probes }, service) =>
    only.length > 0 && !only.includes(slug)
      ? []
      : probes.map((probe, index) => ({ service, index, slug, probe })),
  )
