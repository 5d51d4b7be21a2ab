import { publicIncidentsMax, type PublicHistoryDocument } from '@probe-mesh/contracts/status-page/public-page'
import { describeStatusPage } from '../describe-page.ts'
import { readContent } from './read-content.ts'
import { findIncidentsBetween, findNeighbours } from './public-pages-store.ts'
import { findStatusPageBySlug } from '../../records/status-page/status-pages-store.ts'
import { describeHead, type DocumentContext } from './read-page-document.ts'
import { describeIncidents } from './describe-incidents.ts'

/**
 * The incidents of a page that started in one month, UTC.
 * @param month such as `2026-11`; null: the current month
 * @returns null: unknown slug
 */
export const readPageHistory = async (
  { sql, publicUrl, now }: DocumentContext,
  slug: string,
  month: string | null,
): Promise<PublicHistoryDocument | null> => {
  const page = await findStatusPageBySlug(sql, slug)
  if (page === null) return null
  const nowMs = now()
  const shownMonth = month ?? monthOf(nowMs)
  const span = spanOf(shownMonth)
  const [content, found, { olderMs, newerMs }] = await Promise.all([
    readContent(sql, page.id, now),
    findIncidentsBetween(sql, page.id, { ...span, limit: publicIncidentsMax + 1 }),
    findNeighbours(sql, page.id, span),
  ])
  const shown = found.slice(0, publicIncidentsMax)
  return {
    asOf: new Date(nowMs).toISOString(),
    page: describeHead(describeStatusPage(page, content, { publicUrl, nowMs }), page),
    month: shownMonth,
    components: content.components.map(({ id, displayName }) => ({ id, displayName })),
    incidents: await describeIncidents(sql, shown, content.components),
    hasMoreIncidents: found.length > shown.length,
    olderMonth: olderMs === null ? null : monthOf(olderMs),
    newerMonth: newerMs === null ? null : monthOf(newerMs),
  }
}

const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, 7)

const spanOf = (month: string): { fromMs: number; toMs: number } => {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return { fromMs: Date.UTC(year, number - 1), toMs: Date.UTC(year, number) }
}
