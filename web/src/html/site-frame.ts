import type { Evidence } from '@probe-mesh/contracts/outage/answers'
import { icon } from './components/icon.ts'
import { brandLink } from './components/mark.ts'
import { freshMark } from './how-read.ts'
import { time } from './measures.ts'
import { attribute, html, type Html } from '@probe-mesh/runtime/html'

/** The public pages in the header, by the first part of their path. */
const areas = {
  services: { path: '/services', name: 'Services' },
  weather: { path: '/weather', name: 'Weather' },
  internet: { path: '/internet', name: 'Internet' },
  stacks: { path: '/stacks', name: 'Stacks' },
  docs: { path: '/docs', name: 'Docs' },
} as const
export type SiteArea = keyof typeof areas

/** Brand and navigation of every public page; a drawer on a phone, which opens without a script. */
export const siteHeader = (current: SiteArea | null): Html =>
  html`<header class="site-head">
    <div class="site-bar">
      ${brandLink('/')}
      <nav aria-label="Site" id="site-menu" popover="auto">
        <ul>
          ${Object.entries(areas).map(
            ([area, { path, name }]) =>
              html`<li>
                <a href="${path}" ${attribute('aria-current', area === current ? 'page' : null)}>${name}</a>
              </li>`,
          )}
        </ul>
      </nav>
      <a class="button small" href="/dashboard">Dashboard</a>
      <button type="button" class="icon-button" popovertarget="site-menu" aria-label="Menu">
        ${icon('menu')}
      </button>
    </div>
  </header>`

/** Other forms of a page, for programs and assistants. */
export type PageForms = { json: string; markdown: string }

/** The footer of every public page: freshness, other forms for programs, and the prober. */
export const siteFooter = ({
  forms,
  evidence,
}: {
  forms?: PageForms | undefined
  evidence?: Evidence | undefined
}): Html =>
  html`<footer class="site-foot">
    <div class="site-bar">
      <div>
        ${brandLink('/')}
        <p>Measured by our own probes. What was not measured is no data.</p>
        ${evidence !== undefined && freshnessLine(evidence)}
        ${(evidence !== undefined || forms !== undefined) && html`<p id="zone">Times are in UTC.</p>`}
      </div>
      ${links(
        'Pages',
        Object.values(areas).map(({ path, name }) => ({ path, text: name })),
      )}
      ${links('For programs', [
        { path: '/docs', text: 'API' },
        { path: '/v1/openapi.json', text: 'OpenAPI' },
        { path: '/llms.txt', text: 'For assistants' },
        ...(forms === undefined
          ? []
          : [
              { path: forms.json, text: 'This page as JSON' },
              { path: forms.markdown, text: 'This page as Markdown' },
            ]),
      ])}
      ${links('Probes', [
        { path: '/probes', text: 'About our probes' },
        { path: '/probes#opt-out', text: 'Opt out' },
      ])}
    </div>
  </footer>`

const freshnessLine = ({ measuredAt, freshness }: Evidence): Html =>
  html`<p>
    ${freshMark(freshness)}
    ${measuredAt !== null && html`<span class="muted">measured ${time(measuredAt)}</span>`}
  </p>`

const links = (title: string, entries: readonly { path: string; text: string }[]): Html =>
  html`<nav aria-label="${title}">
    <p>${title}</p>
    <ul>
      ${entries.map(({ path, text }) => html`<li><a href="${path}">${text}</a></li>`)}
    </ul>
  </nav>`
