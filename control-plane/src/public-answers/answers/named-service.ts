import type { ServiceStatusAnswer } from '@probe-mesh/contracts/outage/answers'
import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { resolveName } from '../../catalog/resolve-name.ts'
import { describeService, describeUncovered } from '../describe-service.ts'
import type { ReadOptions } from '../region-reading.ts'
import type { AnswersContext } from './context.ts'
import { namedProbes } from '../evidence.ts'

/** The catalog service for a query, or suggestions if no service matches. */
export type NamedService = CoveredService | UncoveredService
export type CoveredService = { service: CatalogService }
type UncoveredService = { service: null; query: string; didYouMean: readonly string[] }

/** Resolves a slug, name, alias or domain (S-1206). An exact slug needs only one lookup. */
export const resolveService = ({ catalog }: Pick<AnswersContext, 'catalog'>, query: string): NamedService => {
  const exact = catalog.bySlug.get(query)
  if (exact !== undefined) return { service: exact }
  const { slug, didYouMean } = resolveName(catalog.names, query)
  const service = slug === null ? undefined : catalog.bySlug.get(slug)
  return service === undefined ? { service: null, query, didYouMean } : { service }
}

/**
 * The status of a service, which every answer about it contains.
 * @param region one region, or null for all
 */
export const statusOf = (
  { catalog, observed, publicUrl }: Pick<AnswersContext, 'catalog' | 'observed' | 'publicUrl'>,
  named: NamedService,
  region: Region | null,
  options: ReadOptions,
): ServiceStatusAnswer => {
  const { service } = named
  if (service === null) {
    const { query, didYouMean } = named
    return {
      ...describeUncovered(query, didYouMean, options),
      ...namedProbes([]),
      url: `${publicUrl}/services`,
    }
  }
  const probes = catalog.probes.get(service.slug) ?? []
  const readings = observed.regionsOf(service.slug)
  return {
    ...describeService(service, readings, region, options, probes),
    ...namedProbes(probes),
    url: `${publicUrl}/services/${service.slug}`,
  }
}
