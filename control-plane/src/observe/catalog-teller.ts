import type { Events } from '@probe-mesh/bus/port'
import type { CatalogReadings } from '@probe-mesh/contracts/events'
import { limits } from '@probe-mesh/contracts/limits'
import type { Reading } from '@probe-mesh/contracts/reading'
import type { CatalogIndex } from '../catalog/catalog-index.ts'

/**
 * Tells every control plane, this one as well, the readings of catalog services among those that
 * were assessed. A reading of anything else costs one look-up. What measured nothing is not told,
 * and neither is what would make a message too large: pictures, and details of other types.
 */
export const createCatalogTeller =
  ({ events, catalog }: { events: Events; catalog: CatalogIndex }) =>
  (readings: readonly Reading[]): void => {
    const told = readings.filter(
      ({ checkId, verdict }) => verdict !== 'unmeasured' && catalog.byCheckId.has(checkId),
    )
    for (let from = 0; from < told.length; from += limits.readingsPerMessageMax) {
      const part = told.slice(from, from + limits.readingsPerMessageMax)
      events.publish('catalog_readings', { readings: part.map(toTold) } satisfies CatalogReadings)
    }
  }

const toTold = (reading: Reading) => ({
  ...reading,
  details: reading.details?.type === 'http' ? reading.details : null,
  screenshot: undefined,
})
