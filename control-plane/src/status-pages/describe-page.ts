import {
  logoUrl,
  pagePath,
  type PublishedComponent,
  type StatusPageRecord,
} from '../records/status-page/page-record.ts'
import type { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { describeCheckStatus } from '../checks/describe-check.ts'
import { stateOf, type OpenIncident, type PageFacts } from './headline.ts'
import { componentState } from './page-state.ts'
import { coversComponent, type WindowScope } from '../maintenance/window.ts'

/** A component as every route returns it, with its state at `nowMs`. */
export const describeComponent = (
  component: PublishedComponent,
  activeWindows: readonly WindowScope[],
  nowMs: number,
): Component => {
  const { status } = describeCheckStatus(component.check, nowMs)
  const isCovered = activeWindows.some((window) => coversComponent(window, component))
  return {
    id: component.id,
    statusPageId: component.statusPageId,
    checkId: component.checkId,
    displayName: component.displayName,
    description: component.description,
    state: componentState(status, isCovered),
    position: component.position,
    groupName: component.groupName,
  }
}

/** The content of a page at one instant, possibly with that of other pages. */
export type PageContent = {
  components: readonly PublishedComponent[]
  /** Active ones. */
  windows: readonly WindowScope[]
  /** Open ones. */
  incidents: readonly (OpenIncident & { statusPageId: string })[]
}

/** The facts that decide the state and headline of a page at `nowMs`. */
export const factsOf = (statusPageId: string, content: PageContent, nowMs: number): PageFacts => ({
  components: content.components
    .filter((component) => component.statusPageId === statusPageId)
    .map((component) => describeComponent(component, content.windows, nowMs)),
  incidents: content.incidents.filter((incident) => incident.statusPageId === statusPageId),
  isCovered: content.windows.some((window) => window.wholePage && window.statusPageId === statusPageId),
})

/** A page as every route returns it, with its state at `nowMs`. */
export const describeStatusPage = (
  page: StatusPageRecord,
  content: PageContent,
  { publicUrl, nowMs }: { publicUrl: string; nowMs: number },
): StatusPage => {
  const facts = factsOf(page.id, content, nowMs)
  const path = pagePath(page.slug)
  return {
    id: page.id,
    name: page.name,
    slug: page.slug,
    path,
    url: `${publicUrl}${path}`,
    title: page.title,
    description: page.description,
    logo: logoUrl(publicUrl, page),
    accentColor: page.accentColor,
    themePreset: page.themePreset,
    font: page.font,
    locale: page.locale,
    links: page.links.map(({ label, url }) => ({ label, url })),
    componentCount: facts.components.length,
    state: stateOf(facts),
  }
}
