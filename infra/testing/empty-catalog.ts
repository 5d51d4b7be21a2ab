import { fileURLToPath } from 'node:url'
import { indexCatalog } from '@probe-mesh/control-plane/catalog/catalog-index'

/** `CATALOG_FILE` of a mesh that measures only the checks of its test. */
export const emptyCatalogFile = fileURLToPath(new URL('empty-catalog.yaml', import.meta.url))

/** The same for a control plane in the test's own process. */
export const emptyCatalog = indexCatalog({ stacks: [], services: [] })
