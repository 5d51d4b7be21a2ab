import type { Events } from '@probe-mesh/bus/port'
import type { CatalogReadings } from '@probe-mesh/contracts/mesh/events'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { pageChangedCause, type Reading } from '@probe-mesh/contracts/reading/reading'
import type { Logger } from 'pino'
import type { CatalogIndex } from '../../catalog/catalog-index.ts'

/** The shortest time between two warnings about one changed page. */
const warningMs = 86_400_000

/**
 * Broadcasts the assessed readings of catalog services to every control plane, including this one. Readings
 * without a measurement are sent too, because an answer states why it has no data. Other readings cost one
 * lookup. To limit the message size, screenshots and the details of other types are left out. A changed page
 * is logged for the operator.
 */
export const createCatalogBroadcast = ({
  events,
  catalog,
  log,
  now,
}: {
  events: Pick<Events, 'publish' | 'subscribe'>
  catalog: CatalogIndex
  log: Pick<Logger, 'warn'>
  now: () => number
}) => {
  /** The time of the last warning, by check id; bounded by the catalog. */
  const warnedAt = new Map<string, number>()
  const warnChanged = ({ checkId, region, reason }: Reading): void => {
    const check = catalog.byCheckId.get(checkId)
    const nowMs = now()
    const lastMs = warnedAt.get(checkId)
    if (check === undefined || (lastMs !== undefined && nowMs - lastMs < warningMs)) return
    warnedAt.set(checkId, nowMs)
    const { slug, url } = check
    log.warn(
      { slug, url, region, reason },
      'a catalog page changed: its service has no status until you correct the catalog (npm run catalog -- verify)',
    )
  }
  return (readings: readonly Reading[]): void => {
    const own = readings.filter(({ checkId }) => catalog.byCheckId.has(checkId))
    for (const reading of own) if (reading.cause === pageChangedCause) warnChanged(reading)
    for (let from = 0; from < own.length; from += limits.readingsPerMessageMax) {
      const part = own.slice(from, from + limits.readingsPerMessageMax)
      events.publish('catalog_readings', { readings: part.map(toMessage) } satisfies CatalogReadings)
    }
  }
}

const toMessage = (reading: Reading) => ({
  ...reading,
  details: reading.details?.type === 'http' ? reading.details : null,
  screenshot: undefined,
})
