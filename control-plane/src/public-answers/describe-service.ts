import {
  didYouMeanMax,
  type NamedService,
  type ServiceStatusAnswer,
} from '@probe-mesh/contracts/outage/answers'
import type { GradedProbe } from '@probe-mesh/contracts/outage/catalog-grade'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { evidenceOf, basisOf, noBasis } from './evidence.ts'
import { describeRegion, viewRegions, type RegionReadings, type ReadOptions } from './region-reading.ts'
import { gradeShownIn, serviceStatus } from './service-status.ts'
import { notCoveredSummary, statusSummary } from './status-summary.ts'

/** A status answer without its page URL and probes. */
export type StatusAnswer = Omit<ServiceStatusAnswer, 'url' | 'probes' | 'probeCount'>

/**
 * Answers whether a catalog service is down, in one region or in all (null). A region without readings is
 * `no_data` (S-1215).
 * @param probes the probes of the service, in the catalog's order
 */
export const describeService = (
  service: NamedService,
  all: readonly RegionReadings[],
  region: Region | null,
  options: ReadOptions,
  probes: readonly GradedProbe[] = [],
): StatusAnswer => {
  const selected = all.filter((one) => region === null || one.region === region)
  const views = viewRegions(selected, options)
  const evidence = evidenceOf(basisOf(views), options)
  return {
    service: { slug: service.slug, name: service.name },
    status: serviceStatus(views),
    shows: gradeShownIn(views, probes),
    didYouMean: [],
    regions: views.map(describeRegion),
    ...evidence,
    summary: statusSummary(service.name, region, views, evidence, probes),
  }
}

/** The answer for a service outside the catalog: `not_covered`, with suggestions but never a guess. */
export const describeUncovered = (
  query: string,
  didYouMean: readonly string[],
  options: ReadOptions,
): StatusAnswer => {
  const near = didYouMean.slice(0, didYouMeanMax)
  return {
    service: null,
    status: 'not_covered',
    shows: null,
    didYouMean: near,
    regions: [],
    ...evidenceOf(noBasis, options),
    summary: notCoveredSummary(query, near),
  }
}
