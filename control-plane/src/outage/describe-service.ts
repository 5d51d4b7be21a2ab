import type { NamedService, ServiceStatusAnswer } from '@probe-mesh/contracts/outage/answers'
import { didYouMeanMax } from '@probe-mesh/contracts/outage/answers'
import type { GradedProbe } from '@probe-mesh/contracts/outage/catalog-grade'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { evidenceOf, groundOf, noGround } from './evidence.ts'
import { describeRegion, viewRegions } from './region-reading.ts'
import type { HeldRegion, ReadAt } from './region-reading.ts'
import { serviceStatus, shownIn } from './service-status.ts'
import { notCoveredSummary, statusSummary } from './status-summary.ts'

/** An answer but for the page to cite and what was asked. */
export type StatusAnswer = Omit<ServiceStatusAnswer, 'url' | 'probes' | 'probeCount'>

/**
 * Whether a catalog service is down. With a region the answer is of that region alone; one that is
 * not read is `no_data` (S-1215).
 * @param probes what is asked of it, in the catalog's order
 */
export const describeService = (
  service: NamedService,
  held: readonly HeldRegion[],
  region: Region | null,
  how: ReadAt,
  probes: readonly GradedProbe[] = [],
): StatusAnswer => {
  const asked = held.filter((one) => region === null || one.region === region)
  const views = viewRegions(asked, how)
  const evidence = evidenceOf(groundOf(views), how)
  return {
    service: { slug: service.slug, name: service.name },
    status: serviceStatus(views),
    shows: shownIn(views, probes).grade,
    didYouMean: [],
    regions: views.map(describeRegion),
    ...evidence,
    summary: statusSummary(service.name, region, views, evidence, probes),
  }
}

/**
 * The answer about a service outside the catalog: `not_covered`, with names to try, never a guess.
 */
export const describeUncovered = (
  asked: string,
  didYouMean: readonly string[],
  how: ReadAt,
): StatusAnswer => {
  const near = didYouMean.slice(0, didYouMeanMax)
  return {
    service: null,
    status: 'not_covered',
    shows: null,
    didYouMean: near,
    regions: [],
    ...evidenceOf(noGround, how),
    summary: notCoveredSummary(asked, near),
  }
}
