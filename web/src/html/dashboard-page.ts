import type { LoggedIn } from '@probe-mesh/contracts/account/session'
import { icon } from './components/icon.ts'
import type { IconName } from './components/icon.ts'
import { brandLink } from './components/mark.ts'
import { documentOf } from './document.ts'
import type { Assets } from './document.ts'
import { attribute, html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { liveParts, liveState } from './live.ts'

type Entry = { path: string; name: string; icon: IconName }

/** The pages that the dashboard's navigation names, in groups and in its order. */
const groups = {
  Monitor: {
    checks: { path: '/dashboard/checks', name: 'Checks', icon: 'check' },
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
    channels: { path: '/dashboard/channels', name: 'Channels', icon: 'channel' },
    outbox: { path: '/dashboard/outbox', name: 'Notifications', icon: 'notification' },
  },
  Mesh: {
    mesh: { path: '/dashboard/mesh', name: 'Regions', icon: 'mesh' },
    agents: { path: '/dashboard/agents', name: 'Private agents', icon: 'agent' },
  },
  Settings: {
    account: { path: '/dashboard/account', name: 'Account', icon: 'account' },
    keys: { path: '/dashboard/keys', name: 'API and MCP access', icon: 'key' },
    audit: { path: '/dashboard/audit', name: 'Audit log', icon: 'audit' },
  },
} as const satisfies Record<string, Record<string, Entry>>

type Groups = typeof groups
export type Area = { [G in keyof Groups]: keyof Groups[G] }[keyof Groups]

const isEntry = (entry: [string, Entry]): entry is [Area, Entry] => entry.length === 2

/** Every page of the navigation, by area. */
export const areas = Object.fromEntries(
  Object.values(groups).flatMap((group) => Object.entries<Entry>(group).filter(isEntry)),
) as Record<Area, Entry>

/**
 * A page of the dashboard, for a member who is logged in.
 * @param page.area the current page in the navigation, or the one that it belongs to
 */
export const dashboardPage = (
  assets: Assets,
  { user, account }: Pick<LoggedIn, 'user' | 'account'>,
  page: { title: string; area: Area | null; main: Html; refreshSeconds?: number },
): string =>
  documentOf(assets, {
    title: `${page.title} - ${account.name} - Probe Mesh`,
    ...(page.refreshSeconds === undefined ? {} : { head: refreshIn(page.refreshSeconds) }),
    body: html`<body class="dashboard">
      <a class="skip" href="#main">Skip to the content</a>
      <header>
        <div class="bar">
          ${brandLink('/dashboard')}
          <button type="button" popovertarget="menu">${icon(assets, 'menu')}Menu</button>
        </div>
        <div class="menu" id="menu" popover>
          ${brandLink('/dashboard')} ${navigation(assets, page.area)}
          <div class="who">
            <p>
              <strong><bdi>${account.name}</bdi></strong> <bdi>${user.email}</bdi>
            </p>
            <p>${account.tier} plan</p>
            <form method="post" action="/logout">
              <button type="submit">${icon(assets, 'logout')}Log out</button>
            </form>
          </div>
        </div>
      </header>
      <main id="main" tabindex="-1">
        <div class="page-head">
          <h1>${page.title}</h1>
          ${liveState}
        </div>
        ${liveParts} ${page.main}
      </main>
    </body>`,
  })

const navigation = (assets: Assets, current: Area | null): Html =>
  html`<nav aria-label="Dashboard">
    ${Object.entries<Record<string, Entry>>(groups).map(
      ([group, entries]) =>
        html`<p id="group-${group}">${group}</p>
          <ul aria-labelledby="group-${group}">
            ${Object.entries(entries).map(
              ([area, { path, name, icon: iconName }]) =>
                html`<li>
                  <a href="${path}" ${attribute('aria-current', area === current ? 'page' : null)}
                    >${icon(assets, iconName)}${name}</a
                  >
                </li> `,
            )}
          </ul> `,
    )}
  </nav>`

const refreshIn = (seconds: number): Html =>
  html`<noscript><meta http-equiv="refresh" content="${seconds}" /></noscript>`
