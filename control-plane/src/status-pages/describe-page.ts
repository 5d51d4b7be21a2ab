import { pagePath } from '../page-record/page-record.ts'
import type { PublishedComponent, StatusPageRecord } from '../page-record/page-record.ts'
import type {
  Component,
  StatusPage,
  ComponentState,
  StatusPageState,
} from '@probe-mesh/contracts/status-page/status-page'
import { describeCheckStatus } from '../checks/describe-check.ts'
import { coversComponent } from '../maintenance/window.ts'
import type { WindowScope } from '../maintenance/window.ts'
import type { CheckStatus } from '@probe-mesh/contracts/check/check'

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

/**
 * A component's state: the status of its check, or `maintenance` while a window covers it. `stale` and
 * `unknown` become `no_data`, because missing data is never healthy (S-102).
 */
export const componentState = (status: CheckStatus, isCovered: boolean): ComponentState => {
  if (isCovered) return 'maintenance'
  switch (status) {
    case 'operational':
    case 'degraded':
    case 'down':
      return status
    case 'stale':
    case 'unknown':
      return 'no_data'
    default:
      return status satisfies never
  }
}

/** The precedence of states: a page has the first one that any of its components has. */
export const worstFirst = [
  'down',
  'degraded',
  'maintenance',
  'no_data',
  'operational',
] as const satisfies readonly ComponentState[]

/**
 * A page's state: the worst of its components, `no_data` without components, and `maintenance` while a window
 * covers the whole page (S-1708).
 */
export const pageState = (components: readonly ComponentState[], isCovered: boolean): StatusPageState => {
  if (isCovered) return 'maintenance'
  return worstFirst.find((state) => components.includes(state)) ?? 'no_data'
}
