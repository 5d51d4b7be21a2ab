import type { PublicIncidentDocument } from '@probe-mesh/contracts/status-page/public-page'
import { findStatusPageBySlug } from '../../records/status-page/status-pages-store.ts'
import { describeComponent, describeStatusPage } from '../describe-page.ts'
import { describeIncidents } from './describe-incidents.ts'
import { findIncidentOfPage } from './public-pages-store.ts'
import { readContent } from './read-content.ts'
import { describeHead, type DocumentContext } from './read-page-document.ts'

/** One incident of a page, open or resolved. @returns null: unknown slug, or no incident of this page */
export const readPageIncident = async (
  { sql, publicUrl, now }: DocumentContext,
  slug: string,
  incidentId: string,
): Promise<PublicIncidentDocument | null> => {
  const page = await findStatusPageBySlug(sql, slug)
  if (page === null) return null
  const found = await findIncidentOfPage(sql, page.id, incidentId)
  if (found === null) return null
  const content = await readContent(sql, page.id, now)
  const [incident] = await describeIncidents(sql, [found], content.components)
  if (incident === undefined) return null
  const nowMs = now()
  return {
    asOf: new Date(nowMs).toISOString(),
    page: describeHead(describeStatusPage(page, content, { publicUrl, nowMs }), page),
    components: content.components
      .filter(({ id }) => incident.componentIds?.includes(id))
      .map((component) => {
        const { id, displayName, state } = describeComponent(component, content.windows, nowMs)
        return { id, displayName, state }
      }),
    incident,
  }
}
