import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import type { GradedProbe, ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'
import type { PlateLevel } from '@probe-mesh/contracts/outage/answers'
import { groundOf } from '../evidence.ts'
import { plateLevel } from '../plate.ts'
import { viewRegions } from '../region-reading.ts'
import type { ReadAt, RegionView } from '../region-reading.ts'
import { shownIn } from '../service-status.ts'
import type { AnswersContext } from './context.ts'

/** One service as a list shows it, with the regions that it was read in. */
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
  how: ReadAt,
): Plate => {
  const views = viewRegions(observed.regionsOf(service.slug), how)
  const { measuredAtMs } = groundOf(views)
  const probes = catalog.probes.get(service.slug) ?? []
  return {
    service,
    level: plateLevel(views, observed.pacesOf(service.slug)),
    measuredAt: measuredAtMs === null ? null : new Date(measuredAtMs).toISOString(),
    views,
    probes,
    shows: shownIn(views, probes).grade,
  }
}

/** Every region of every service of the catalog: what answers about all of them stand on. */
export const viewCatalog = (
  { catalog, observed }: Pick<AnswersContext, 'catalog' | 'observed'>,
  how: ReadAt,
): RegionView[] => catalog.catalog.services.flatMap(({ slug }) => viewRegions(observed.regionsOf(slug), how))
