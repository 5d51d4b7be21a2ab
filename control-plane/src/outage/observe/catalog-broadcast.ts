import type { Events } from '@probe-mesh/bus/port'
import type { CatalogReadings } from '@probe-mesh/contracts/mesh/events'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { pageChangedCause } from '@probe-mesh/contracts/reading/reading'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Logger } from 'pino'
import type { CatalogIndex } from '../../catalog/catalog-index.ts'

/** A page that goes on saying something else is told to the operator once in this time. */
const noticeMs = 86_400_000

/**
 * Tells every control plane, this one as well, the readings of catalog services among those that
 * were assessed, also those that measured nothing: an answer says why it has no data. A reading of
 * anything else costs one look-up. What would make a message too large is not told: pictures, and
 * details of other types. The operator is told of a changed page by a line of the log.
 */
export const createCatalogBroadcast = ({
  events,
  catalog,
  log,
  now,
}: {
  events: Events
  catalog: CatalogIndex
  log: Pick<Logger, 'warn'>
  now: () => number
}) => {
  /** When the operator was told, by check; as many as the catalog has at most. */
  const noticed = new Map<string, number>()
  const notice = ({ checkId, region, reason }: Reading): void => {
    const check = catalog.byCheckId.get(checkId)
    const nowMs = now()
    const lastMs = noticed.get(checkId)
    if (check === undefined || (lastMs !== undefined && nowMs - lastMs < noticeMs)) return
    noticed.set(checkId, nowMs)
    const { slug, url } = check
    log.warn(
      { slug, url, region, reason },
      'a catalog page changed: its service has no status until you correct the catalog (npm run catalog -- verify)',
    )
  }
  return (readings: readonly Reading[]): void => {
    const told = readings.filter(({ checkId }) => catalog.byCheckId.has(checkId))
    for (const reading of told) if (reading.cause === pageChangedCause) notice(reading)
    for (let from = 0; from < told.length; from += limits.readingsPerMessageMax) {
      const part = told.slice(from, from + limits.readingsPerMessageMax)
      events.publish('catalog_readings', { readings: part.map(toTold) } satisfies CatalogReadings)
    }
  }
}

const toTold = (reading: Reading) => ({
  ...reading,
  details: reading.details?.type === 'http' ? reading.details : null,
  screenshot: undefined,
})
