import { readFile } from 'node:fs/promises'
import {
  CatalogService as Service,
  type Catalog,
  type CatalogService,
} from '@probe-mesh/contracts/outage/catalog'
import { parse } from 'yaml'
import { readCatalog } from './read-catalog.ts'

/** The catalog of this repository. */
export const shippedCatalog = async (): Promise<Catalog> => {
  const text = await readFile(new URL('../../catalog/catalog.yaml', import.meta.url), 'utf8')
  const read = readCatalog(text, { parseYaml: (text) => parse(text) as unknown })
  if (!read.ok) throw new Error(JSON.stringify(read.problems, null, 2))
  return read.catalog
}

/** A service with a slug, a name and the given fields. */
export const service = (slug: string, more: Partial<CatalogService> = {}): CatalogService =>
  Service.parse({
    slug,
    name: slug,
    category: 'work',
    probes: [{ url: 'https://example.com/' }],
    ...more,
  })
