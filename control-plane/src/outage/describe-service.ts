import type { NamedService, ServiceStatusAnswer } from '@probe-mesh/contracts/answers'
import { didYouMeanMax } from '@probe-mesh/contracts/answers'
import type { Region } from '@probe-mesh/contracts/regions'
import { evidenceOf, groundOf, noGround } from './evidence.ts'
import { describeRegion, viewRegions } from './region-reading.ts'
import type { HeldRegion, ReadAt } from './region-reading.ts'
import { serviceStatus } from './service-status.ts'
import { notCoveredSummary, statusSummary } from './status-summary.ts'

/** An answer but for the page to cite. */
export type StatusAnswer = Omit<ServiceStatusAnswer, 'url'>

/**
 * Whether a catalog service is down. With a region the answer is of that region alone: "a valid
 * region that is not read is `no_data`" (contracts.md).
 */
export const describeService = (
  service: NamedService,
  held: readonly HeldRegion[],
  region: Region | null,
  how: ReadAt,
): StatusAnswer => {
  const asked = held.filter((one) => region === null || one.region === region)
  const views = viewRegions(asked, how)
  const evidence = evidenceOf(groundOf(views), how)
  return {
    service: { slug: service.slug, name: service.name },
    status: serviceStatus(views),
    didYouMean: [],
    regions: views.map(describeRegion),
    ...evidence,
    summary: statusSummary(service.name, region, views, evidence),
  }
}

/**
 * The answer of "a service outside the catalog": `not_covered`, with names to try, never a guess.
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
    didYouMean: near,
    regions: [],
    ...evidenceOf(noGround, how),
    summary: notCoveredSummary(asked, near),
  }
}
