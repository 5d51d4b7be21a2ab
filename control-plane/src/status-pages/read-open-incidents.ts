import { impactOf } from '../incidents/impact.ts'
import { findAffected } from '../incidents/incident-components-store.ts'
import { findOpenOfPages } from '../incidents/incidents-store.ts'
import type { Connection } from '../stores/postgres/connect.ts'
import type { PageContent } from './describe-page.ts'

/** For one page. */
const openMax = 50

/** The open incidents of these pages, as far as they decide state and headline. */
export const readOpenIncidents = async (
  db: Connection,
  statusPageIds: readonly string[],
): Promise<PageContent['incidents']> => {
  const open = await findOpenOfPages(db, statusPageIds, openMax)
  const affected = await findAffected(
    db,
    open.map(({ id }) => id),
  )
  return open.map((incident) => ({
    id: incident.id,
    statusPageId: incident.statusPageId,
    title: incident.title,
    source: incident.source,
    impact: impactOf(incident),
    componentIds: affected.get(incident.id) ?? [],
  }))
}
