import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import type { Factor } from './shared-factors.ts'

type Listed = Pick<CatalogService, 'cdn' | 'cloud' | 'cloudRegion' | 'dns'>

/** What a service stands on, as the catalog says. */
export const listedFactors = ({ cdn, cloud, cloudRegion, dns }: Listed): Factor[] => [
  ...(cdn === null ? [] : [{ kind: 'cdn', name: cdn } as const]),
  ...(cloud === null || cloudRegion === null
    ? []
    : [{ kind: 'cloud_region', name: `${cloud}/${cloudRegion}` } as const]),
  ...(dns === null ? [] : [{ kind: 'dns', name: dns } as const]),
]
