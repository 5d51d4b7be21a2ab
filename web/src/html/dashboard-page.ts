import type { LoggedIn } from '@probe-mesh/contracts/account/session'
import { documentOf } from './document.ts'
import type { Assets } from './document.ts'
import { attribute, html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { liveParts } from './live.ts'

/** The pages that the dashboard's navigation names, in its order. */
export const areas = {
  checks: { path: '/dashboard/checks', name: 'Checks' },
  mesh: { path: '/dashboard/mesh', name: 'Mesh' },
  agents: { path: '/dashboard/agents', name: 'Private agents' },
  pages: { path: '/dashboard/pages', name: 'Status pages' },
  incidents: { path: '/dashboard/incidents', name: 'Incidents' },
  maintenance: { path: '/dashboard/maintenance', name: 'Maintenance' },
  errors: { path: '/dashboard/errors', name: 'Errors' },
  subscribers: { path: '/dashboard/subscribers', name: 'Subscribers' },
  channels: { path: '/dashboard/channels', name: 'Channels' },
  rules: { path: '/dashboard/rules', name: 'Alert rules' },
  outbox: { path: '/dashboard/outbox', name: 'Outbox' },
  audit: { path: '/dashboard/audit', name: 'Audit log' },
  keys: { path: '/dashboard/keys', name: 'API and MCP access' },
  account: { path: '/dashboard/account', name: 'Account' },
} as const
export type Area = keyof typeof areas

/**
 * A page of the dashboard, for who is logged in.
 * @param page.area what the navigation marks as the current page, or as what it belongs to
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
      <header>
        <a class="skip" href="#main">Skip to the content</a>
        <a class="brand" href="/dashboard">Probe Mesh</a>
        <nav aria-label="Dashboard">
          <ul>
            ${Object.entries(areas).map(
              ([area, { path, name }]) =>
                html`<li>
                  <a href="${path}" ${attribute('aria-current', area === page.area ? 'page' : null)}
                    >${name}</a
                  >
                </li> `,
            )}
          </ul>
        </nav>
        <div class="who">
          <span><bdi>${account.name}</bdi>, ${account.tier}</span>
          <span><bdi>${user.email}</bdi></span>
          <form method="post" action="/logout"><button type="submit">Log out</button></form>
        </div>
      </header>
      <main id="main" tabindex="-1">
        <h1>${page.title}</h1>
        ${liveParts} ${page.main}
      </main>
    </body>`,
  })

const refreshIn = (seconds: number): Html =>
  html`<noscript><meta http-equiv="refresh" content="${seconds}" /></noscript>`
