import type { ServiceStatusAnswer } from '@probe-mesh/contracts/outage/answers'
import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { resolveName } from '../../catalog/resolve-name.ts'
import { describeService, describeUncovered } from '../describe-service.ts'
import type { ReadAt } from '../region-reading.ts'
import type { AnswersContext } from './context.ts'
import { namedProbes } from '../evidence.ts'

/** The catalog service that a text names, or none and what may have been meant. */
export type NamedService = CoveredService | UncoveredService
export type CoveredService = { service: CatalogService }
type UncoveredService = { service: null; asked: string; didYouMean: readonly string[] }

/**
 * Names, aliases and domains resolve (S-1206). A slug as it stands in the catalog is looked
 * up and nothing else.
 */
export const nameService = ({ catalog }: Pick<AnswersContext, 'catalog'>, asked: string): NamedService => {
  const exact = catalog.bySlug.get(asked)
  if (exact !== undefined) return { service: exact }
  const { slug, didYouMean } = resolveName(catalog.names, asked)
  const service = slug === null ? undefined : catalog.bySlug.get(slug)
  return service === undefined ? { service: null, asked, didYouMean } : { service }
}

/** How a service stands, which every answer about one begins with. @param region one, or null for all */
export const statusOf = (
  { catalog, observed, publicUrl }: Pick<AnswersContext, 'catalog' | 'observed' | 'publicUrl'>,
  named: NamedService,
  region: Region | null,
  how: ReadAt,
): ServiceStatusAnswer => {
  const { service } = named
  if (service === null) {
    const { asked, didYouMean } = named
    return {
      ...describeUncovered(asked, didYouMean, how),
      ...namedProbes([]),
      url: `${publicUrl}/services`,
    }
  }
  const probes = catalog.probes.get(service.slug) ?? []
  const held = observed.regionsOf(service.slug)
  return {
    ...describeService(service, held, region, how, probes),
    ...namedProbes(probes),
    url: `${publicUrl}/services/${service.slug}`,
  }
}
