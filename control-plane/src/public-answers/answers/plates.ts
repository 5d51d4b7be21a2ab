import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import type { GradedProbe, ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'
import type { PlateLevel } from '@probe-mesh/contracts/outage/answers'
import { basisOf } from '../evidence.ts'
import { plateLevel } from '../plate.ts'
import { viewRegions, type ReadOptions, type RegionView } from '../region-reading.ts'
import { shownIn } from '../service-status.ts'
import type { AnswersContext } from './context.ts'

/** A service as lists show it, with the state of its regions. */
type Plate = {
  service: CatalogService
  level: PlateLevel
  measuredAt: string | null
  views: readonly RegionView[]
  probes: readonly GradedProbe[]
  shows: ProbeGrade | null
}

export const plateOf = (
  { catalog, observed }: Pick<AnswersContext, 'catalog' | 'observed'>,
  service: CatalogService,
  options: ReadOptions,
): Plate => {
  const views = viewRegions(observed.regionsOf(service.slug), options)
  const { measuredAtMs } = basisOf(views)
  const probes = catalog.probes.get(service.slug) ?? []
  return {
    service,
    level: plateLevel(views, observed.latenciesOf(service.slug)),
    measuredAt: measuredAtMs === null ? null : new Date(measuredAtMs).toISOString(),
    views,
    probes,
    shows: shownIn(views, probes).grade,
  }
}

/** All regions of all catalog services, the basis of answers about the whole catalog. */
export const viewCatalog = (
  { catalog, observed }: Pick<AnswersContext, 'catalog' | 'observed'>,
  options: ReadOptions,
): RegionView[] =>
  catalog.catalog.services.flatMap(({ slug }) => viewRegions(observed.regionsOf(slug), options))
