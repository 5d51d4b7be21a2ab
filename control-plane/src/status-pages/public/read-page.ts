import { describeIncident } from '../../incidents/incident.ts'
import { describeComponent, describeStatusPage, factsOf } from '../describe-page.ts'
import { pageHeadline } from '../headline.ts'
import type { PublishedComponent } from '../../records/status-page/page-record.ts'
import { announcementOf, type WindowRecord } from '../../maintenance/window.ts'
import { readContent } from './read-content.ts'
import type { PublicComponent, PublicPage } from './public-page.ts'
import { findAffected } from '../../incidents/incident-components-store.ts'
import { findMembers } from '../../incidents/incident-members-store.ts'
import { findCalendarWindows, findIncidentsToShow, findUpdatesToShow } from './public-pages-store.ts'
import { findStatusPageBySlug } from '../../records/status-page/status-pages-store.ts'
import type { PublicContext } from '../../subscribers/context.ts'

const incidentsMax = 50
const calendarMax = 200
/** How long a window stays in the calendar after its end. */
const calendarMs = 90 * 86_400_000
/** Limit for all timelines together, so that a page in memory stays below a megabyte. */
const timelineCharactersMax = 500_000

/** The current public page. @returns null: unknown slug */
export const readPage = async (
  { sql, publicUrl, now }: Pick<PublicContext, 'sql' | 'publicUrl' | 'now'>,
  slug: string,
): Promise<PublicPage | null> => {
  const page = await findStatusPageBySlug(sql, slug)
  if (page === null) return null
  const [content, incidents, calendar] = await Promise.all([
    readContent(sql, page.id, now),
    findIncidentsToShow(sql, page.id, incidentsMax),
    findCalendarWindows(sql, page.id, { sinceMs: now() - calendarMs, limit: calendarMax }),
  ])
  const { components, windows: active, allWindows } = content
  const incidentIds = incidents.map(({ id }) => id)
  const [updates, members, affected] = await Promise.all([
    findUpdatesToShow(sql, incidentIds, timelineCharactersMax),
    findMembers(sql, incidentIds),
    findAffected(sql, incidentIds),
  ])
  const timelines = Map.groupBy(updates, ({ incidentId }) => incidentId)
  const nowMs = now()
  return {
    page: {
      ...describeStatusPage(page, content, { publicUrl, nowMs }),
      updatedAt: new Date(page.updatedAtMs).toISOString(),
    },
    headline: pageHeadline(factsOf(page.id, content, nowMs), page.locale),
    components: components.map((component) => describePublic(component, active, nowMs)),
    incidents: incidents
      .toSorted((a, b) => b.startedAtMs - a.startedAtMs)
      .map((incident) =>
        describeIncident(incident, {
          updates: timelines.get(incident.id),
          members: members.get(incident.id),
          componentIds: affected.get(incident.id),
        }),
      ),
    windows: allWindows.map((window) => ({
      ...announcementOf(window, nowMs),
      changedAt: new Date(window.changedAtMs ?? window.createdAtMs).toISOString(),
    })),
    calendar,
  }
}

const describePublic = (
  component: PublishedComponent,
  active: readonly WindowRecord[],
  nowMs: number,
): PublicComponent => {
  const { statusSinceMs } = component.check.state
  const changedAtMs = Math.max(component.updatedAtMs, statusSinceMs ?? 0)
  return {
    ...describeComponent(component, active, nowMs),
    createdAt: new Date(component.createdAtMs).toISOString(),
    changedAt: new Date(changedAtMs).toISOString(),
  }
}
