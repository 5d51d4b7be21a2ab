import {
  publicIncidentsMax,
  recentDays,
  type PublicComponentHistory,
  type PublicPageDocument,
  type PublicPageHead,
} from '@probe-mesh/contracts/status-page/public-page'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { describeCheckStatus } from '../../checks/describe-check.ts'
import { lastDays } from '../day-history.ts'
import { describeComponent, describeStatusPage, factsOf } from '../describe-page.ts'
import { groupsOf } from '../component-groups.ts'
import { pageHeadline } from '../headline.ts'
import {
  logoPath,
  type PublishedComponent,
  type StatusPageRecord,
} from '../../records/status-page/page-record.ts'
import { announcementOf, windowState, type WindowRecord } from '../../maintenance/window.ts'
import { displayName } from './public-page.ts'
import { describeIncidents } from './describe-incidents.ts'
import { readContent } from './read-content.ts'
import { findIncidentsToShow } from './public-pages-store.ts'
import { findStatusPageBySlug } from '../../records/status-page/status-pages-store.ts'
import type { PublicContext } from '../../subscribers/context.ts'
import { withNewest, type Freshen } from '../../status/live-states.ts'
import { readHistory, type ComponentHistory } from './read-history.ts'

export type DocumentContext = Pick<PublicContext, 'sql' | 'publicUrl' | 'now'> & {
  vantage: PublicPageDocument['vantage']
  freshen?: Freshen
}

/** The current public page with its history. @returns null: unknown slug */
export const readPageDocument = async (
  { sql, publicUrl, now, vantage, freshen }: DocumentContext,
  slug: string,
): Promise<PublicPageDocument | null> => {
  const page = await findStatusPageBySlug(sql, slug)
  if (page === null) return null
  const [content, found] = await Promise.all([
    readContent(sql, page.id, now),
    findIncidentsToShow(sql, page.id, publicIncidentsMax + 1),
  ])
  const { windows: active } = content
  const components = content.components.map(({ check, ...rest }) => ({
    ...rest,
    check: withNewest({ ...check, id: rest.checkId }, freshen),
  }))
  const nowMs = now()
  const recentFromMs = lastDays(recentDays, nowMs)[0]?.fromMs ?? nowMs
  const incidents = found.filter(
    ({ resolvedAtMs, startedAtMs }) => resolvedAtMs === null || startedAtMs >= recentFromMs,
  )
  const shown = incidents.slice(0, publicIncidentsMax)
  const [histories, described] = await Promise.all([
    readHistory(sql, page.id, components, nowMs),
    describeIncidents(sql, shown, components),
  ])
  const facts = factsOf(page.id, content, nowMs)
  return {
    asOf: new Date(nowMs).toISOString(),
    page: describeHead(describeStatusPage(page, content, { publicUrl, nowMs }), page),
    vantage,
    headline: pageHeadline(facts, page.locale),
    groups: groupsOf(components.map((component) => describeComponent(component, active, nowMs))),
    components: components.map((component) =>
      describePublic(component, { active, nowMs, history: histories.get(component.id) }),
    ),
    incidents: described,
    hasMoreIncidents: incidents.length > shown.length,
    windows: content.allWindows
      .filter((window) => windowState(window, nowMs) !== 'ended')
      .toSorted((a, b) => a.startsAtMs - b.startsAtMs)
      .map((window) => {
        const { statusPageId: _page, createdAt: _created, ...shown } = announcementOf(window, nowMs)
        return shown
      }),
  }
}

/** The head of a page, with its title for visitors as the name. */
export const describeHead = (
  page: StatusPage,
  { uploadedLogo }: Pick<StatusPageRecord, 'uploadedLogo'>,
): PublicPageHead => {
  const { id: _id, title: _title, componentCount: _count, ...head } = page
  return {
    ...head,
    name: displayName(page),
    uploadedLogo: uploadedLogo && {
      path: logoPath(page.slug, uploadedLogo),
      width: uploadedLogo.width,
      height: uploadedLogo.height,
    },
  }
}

const describePublic = (
  component: PublishedComponent,
  {
    active,
    nowMs,
    history,
  }: { active: readonly WindowRecord[]; nowMs: number; history: ComponentHistory | undefined },
): PublicComponentHistory => {
  const { id, displayName, description, state } = describeComponent(component, active, nowMs)
  const isHeartbeat = component.check.type === 'heartbeat'
  const status = describeCheckStatus(component.check, nowMs)
  return {
    id,
    displayName,
    description,
    groupName: component.groupName,
    state,
    measuredBy: isHeartbeat ? 'pings' : 'probes',
    measuredAt: isHeartbeat ? null : status.measuredAt,
    staleAfterSeconds: status.staleAfterSeconds,
    regionsRead: isHeartbeat
      ? []
      : status.regionStatuses.filter(({ fresh }) => fresh).map(({ region }) => region),
    upShare: history?.upShare ?? null,
    days: history?.days ?? null,
  }
}
