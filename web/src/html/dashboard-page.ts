import { nothingMeasured } from '@probe-mesh/contracts/mesh/mesh'
import type { LoggedIn } from '@probe-mesh/contracts/account/session'
import { icon, type IconName } from './components/icon.ts'
import { brandLink, type MarkState } from './components/mark.ts'
import { menu } from './components/menu.ts'
import { breadcrumb, pageHead, type Crumb, type PageHead } from './components/page-head.ts'
import { toastRegion, type Done } from './components/toast.ts'
import { documentOf, type Assets } from './document.ts'
import { attribute, html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { liveParts, liveState } from './live.ts'
import type { Theme } from './theme.ts'

type Entry = { path: string; name: string; icon: IconName }

/** The pages in the dashboard's navigation, in its groups and order. */
const groups = {
  Monitor: {
    overview: { path: '/dashboard', name: 'Overview', icon: 'overview' },
    checks: { path: '/dashboard/checks', name: 'Checks', icon: 'check' },
    objectives: { path: '/dashboard/objectives', name: 'Objectives', icon: 'objective' },
    incidents: { path: '/dashboard/incidents', name: 'Incidents', icon: 'incident' },
    maintenance: { path: '/dashboard/maintenance', name: 'Maintenance', icon: 'maintenance' },
    errors: { path: '/dashboard/errors', name: 'Errors', icon: 'error' },
  },
  Publish: {
    pages: { path: '/dashboard/pages', name: 'Status pages', icon: 'status-page' },
    subscribers: { path: '/dashboard/subscribers', name: 'Subscribers', icon: 'subscriber' },
  },
  Alerting: {
    rules: { path: '/dashboard/rules', name: 'Alert rules', icon: 'rule' },
    'on-call': { path: '/dashboard/on-call', name: 'On call', icon: 'calendar' },
    channels: { path: '/dashboard/channels', name: 'Channels', icon: 'channel' },
    outbox: { path: '/dashboard/outbox', name: 'Notifications', icon: 'notification' },
  },
  Mesh: {
    mesh: { path: '/dashboard/mesh', name: 'Regions', icon: 'mesh' },
    agents: { path: '/dashboard/agents', name: 'Private agents', icon: 'agent' },
  },
  Settings: {
    account: { path: '/dashboard/account', name: 'Account', icon: 'account' },
    members: { path: '/dashboard/members', name: 'Members', icon: 'member' },
    keys: { path: '/dashboard/keys', name: 'API and MCP access', icon: 'key' },
    secrets: { path: '/dashboard/secrets', name: 'Secrets', icon: 'secret' },
    telemetry: { path: '/dashboard/opentelemetry', name: 'OpenTelemetry', icon: 'external' },
    audit: { path: '/dashboard/audit', name: 'Audit log', icon: 'audit' },
  },
} as const satisfies Record<string, Record<string, Entry>>

type Groups = typeof groups
type Area = { [G in keyof Groups]: keyof Groups[G] }[keyof Groups]

const isEntry = (entry: [string, Entry]): entry is [Area, Entry] => entry.length === 2

/** Every page of the navigation, by area. */
const areas = Object.fromEntries(
  Object.values(groups).flatMap((group) => Object.entries<Entry>(group).filter(isEntry)),
) as Record<Area, Entry>

/** The number of things in an area that need attention now; absent if none do. */
export type NavigationCounts = Partial<Record<Area, { count: number; text: string; isBad: boolean }>> & {
  /** Every page says that no region can measure. */
  nothingMeasured?: boolean
}

/** The content of a page of the dashboard, without its frame. */
export type DashboardPage = Omit<PageHead, 'title'> & {
  title: string
  /** The heading, if it is not the title. */
  heading?: Piece
  /** The area of the page in the navigation. */
  area: Area | null
  /** Pages between the area and this one. */
  crumbs?: readonly Crumb[]
  main: Html
  /** Reload time without a script while a result is pending. */
  refreshSeconds?: number
}

/** A page of the dashboard, for a member who is logged in. */
export const dashboardPage = (
  assets: Assets,
  { user, account }: Pick<LoggedIn, 'user' | 'account'>,
  page: DashboardPage,
  {
    done = null,
    counts = {},
    theme = 'system',
  }: { done?: Done | null; counts?: NavigationCounts; theme?: Theme } = {},
): string =>
  documentOf(assets, {
    theme,
    title: `${openCount(counts)}${page.title} - ${account.name} - Probe Mesh`,
    ...(counts.incidents !== undefined && { state: stateOf(counts.incidents) }),
    ...(page.refreshSeconds === undefined ? {} : { head: refreshIn(page.refreshSeconds) }),
    body: html`<body class="dashboard" data-palette="/module#palette" data-search="/module#search">
      <a class="skip" href="#main">Skip to the content</a>
      <header>
        <div class="bar">
          ${brandLink('/dashboard')}
          <a class="icon-button" href="/dashboard/checks/new" aria-label="New check">${icon('plus')}</a>
          <a class="icon-button" href="/dashboard/checks#q" data-palette aria-label="Search"
            >${icon('search')}</a
          >
          <button type="button" popovertarget="menu" aria-label="Menu" class="icon-button">
            ${icon('menu')}
          </button>
        </div>
        <div class="menu" id="menu" popover>
          ${brandLink('/dashboard')}
          <a class="search-button" href="/dashboard/checks#q" data-palette
            >${icon('search')}Search<kbd aria-hidden="true">⌘K</kbd></a
          >
          ${navigation(page.area, counts)}
          <div class="who">
            <p>
              <strong><bdi>${account.name}</bdi></strong> <bdi>${user.email}</bdi>
            </p>
            <p>${planName(account.tier)} plan</p>
            <form method="post" action="/logout">
              <button type="submit">${icon('logout')}Log out</button>
            </form>
          </div>
        </div>
      </header>
      <div class="stage">
        <div class="top" role="region" aria-label="Page">
          ${breadcrumb(crumbsOf(page))}
          <div class="top-tools">${liveState} ${createMenu}</div>
        </div>
        <main id="main" tabindex="-1">
          ${toastRegion(done)}
          ${
            counts.nothingMeasured === true &&
            html`<p class="notice"><strong>${nothingMeasured.text}.</strong> ${nothingMeasured.advice}</p>`
          }
          ${pageHead({ ...page, title: page.heading ?? page.title })} ${liveParts} ${page.main}
        </main>
      </div>
    </body>`,
  })

/** The state on the tab icon: an open outage, else an open post, else all well. */
const stateOf = ({ count, isBad }: { count: number; isBad: boolean }): MarkState =>
  isBad ? 'bad' : count > 0 ? 'uncertain' : 'good'

/** `(2) ` before the title of the tab while something is down. */
const openCount = ({ incidents }: NavigationCounts): string =>
  incidents?.isBad === true ? `(${incidents.count}) ` : ''

/** `Scale` */
const planName = (tier: string): string => tier.charAt(0).toUpperCase() + tier.slice(1)

const crumbsOf = ({ area, title, crumbs = [] }: DashboardPage): Crumb[] => {
  if (area === null) return [{ path: '/dashboard', text: 'Overview' }]
  const { path, name } = areas[area]
  return name === title ? [] : [{ path, text: name }, ...crumbs]
}

const createMenu: Html = menu({ icon: 'plus', text: 'New', isPrimary: true }, [
  { text: 'Check', icon: 'check', path: '/dashboard/checks/new' },
  { text: 'Incident', icon: 'incident', path: '/dashboard/incidents/new' },
  { text: 'Maintenance', icon: 'maintenance', path: '/dashboard/maintenance/new' },
  { text: 'Alert rule', icon: 'rule', path: '/dashboard/rules/new' },
  { text: 'Channel', icon: 'channel', path: '/dashboard/channels/new' },
])

const navigation = (current: Area | null, counts: NavigationCounts): Html =>
  html`<nav aria-label="Dashboard" data-live-also="navigation">
    ${Object.entries<Record<string, Entry>>(groups).map(
      ([group, entries]) =>
        html`<p id="group-${group}">${group}</p>
          <ul aria-labelledby="group-${group}">
            ${Object.entries(entries)
              .filter(isEntry)
              .map(
                ([area, { path, name, icon: iconName }]) =>
                  html`<li>
                    <a href="${path}" ${attribute('aria-current', area === current ? 'page' : null)}
                      >${icon(iconName)}${name}${countMark(counts[area])}</a
                    >
                  </li> `,
              )}
          </ul> `,
    )}
  </nav>`

const countMark = (entry: NavigationCounts[Area]): Html | null =>
  entry === undefined || entry.count === 0
    ? null
    : html` <span class="count${entry.isBad ? ' bad' : ''}" title="${entry.count} ${entry.text}"
        >${entry.count}<span class="unseen"> ${entry.text}</span></span
      >`

const refreshIn = (seconds: number): Html =>
  html`<noscript><meta http-equiv="refresh" content="${seconds}" /></noscript>`
