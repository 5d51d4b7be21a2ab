import type { Catalog, CatalogService, CatalogStack } from '@probe-mesh/contracts/outage/catalog'
import { gradeOf, type GradedProbe } from '@probe-mesh/contracts/outage/catalog-grade'
import { catalogChecksOf, type CatalogCheck } from './catalog-checks.ts'
import { indexNames, type NameIndex } from './name-index.ts'

/** A catalog, indexed for answers; built once. */
export type CatalogIndex = {
  readonly catalog: Catalog
  readonly names: NameIndex
  readonly bySlug: ReadonlyMap<string, CatalogService>
  /** By id and by slug. */
  readonly stacks: ReadonlyMap<string, CatalogStack>
  readonly stackNames: NameIndex
  readonly checks: readonly CatalogCheck[]
  /** The probes of each service, in its order, by slug. */
  readonly probes: ReadonlyMap<string, readonly GradedProbe[]>
  readonly byCheckId: ReadonlyMap<string, CatalogCheck>
}

export const indexCatalog = (catalog: Catalog): CatalogIndex => {
  const checks = catalogChecksOf(catalog)
  return {
    catalog,
    names: indexNames(catalog),
    bySlug: new Map(catalog.services.map((service) => [service.slug, service])),
    stacks: new Map(
      catalog.stacks.flatMap((stack) => [
        [stack.id, stack],
        [stack.slug, stack],
      ]),
    ),
    stackNames: indexNames({
      services: catalog.stacks.map(({ slug, name }) => ({ slug, name, aliases: [], domains: [] })),
    }),
    checks,
    probes: new Map(
      catalog.services.map(({ slug, probes }) => [
        slug,
        probes.map((probe) => ({ url: probe.url, grade: gradeOf(probe) })),
      ]),
    ),
    byCheckId: new Map(checks.map((check) => [check.checkId, check])),
  }
}
