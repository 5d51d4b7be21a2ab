import { pagePath } from '../page-record/page-record.ts'
import type { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { describeCheckStatus } from '../checks/describe-check.ts'
import type { PublishedComponent, StatusPageRecord } from '../page-record/page-record.ts'
import { componentState, pageState } from './page-state.ts'
import { coversComponent } from '../maintenance/window.ts'
import type { WindowScope } from '../maintenance/window.ts'

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

/**
 * A page as every route returns it, with its state at `nowMs`.
 * @param components its components, possibly with those of other pages
 * @param activeWindows its active windows, possibly with those of other pages
 */
export const describeStatusPage = (
  page: StatusPageRecord,
  components: readonly PublishedComponent[],
  activeWindows: readonly WindowScope[],
  { publicUrl, nowMs }: { publicUrl: string; nowMs: number },
): StatusPage => {
  const published = components.filter(({ statusPageId }) => statusPageId === page.id)
  const states = published.map((component) => describeComponent(component, activeWindows, nowMs).state)
  const isCovered = activeWindows.some(({ statusPageId, wholePage }) => wholePage && statusPageId === page.id)
  const path = pagePath(page.slug)
  return {
    id: page.id,
    name: page.name,
    slug: page.slug,
    path,
    url: `${publicUrl}${path}`,
    title: page.title,
    description: page.description,
    logo: page.logo,
    accentColor: page.accentColor,
    themePreset: page.themePreset,
    font: page.font,
    locale: page.locale,
    links: page.links.map(({ label, url }) => ({ label, url })),
    componentCount: published.length,
    state: pageState(states, isCovered),
  }
}
