import type { PublicIncident } from '@probe-mesh/contracts/status-page/public-page'
import { findAffected } from '../../incidents/incident-components-store.ts'
import { impactOf } from '../../incidents/impact.ts'
import { describeIncident, type IncidentRecord } from '../../incidents/incident.ts'
import type { PublishedComponent } from '../../records/status-page/page-record.ts'
import type { Connection } from '../../stores/postgres/connect.ts'
import { findUpdatesToShow } from './public-pages-store.ts'

/** Limit for all timelines together. */
const timelineCharactersMax = 200_000

/** Incidents for visitors, with their timelines and affected components, newest first. */
export const describeIncidents = async (
  db: Connection,
  incidents: readonly IncidentRecord[],
  components: readonly Pick<PublishedComponent, 'id' | 'checkId'>[],
): Promise<PublicIncident[]> => {
  const ids = incidents.map(({ id }) => id)
  const [updates, affected] = await Promise.all([
    findUpdatesToShow(db, ids, timelineCharactersMax),
    findAffected(db, ids),
  ])
  const timelines = Map.groupBy(updates, ({ incidentId }) => incidentId)
  return incidents
    .toSorted((a, b) => b.startedAtMs - a.startedAtMs)
    .map((incident) => {
      const {
        checkId: _check,
        statusPageId: _page,
        members: _members,
        memberCount: _count,
        ...shown
      } = describeIncident(incident, { updates: timelines.get(incident.id) })
      return {
        ...shown,
        impact: impactOf(incident),
        componentId: components.find(({ checkId }) => checkId === incident.checkId)?.id ?? null,
        componentIds: affected.get(incident.id) ?? [],
      }
    })
}
