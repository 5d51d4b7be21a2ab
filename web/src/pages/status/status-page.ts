import type {
  PublicHistoryDocument,
  PublicIncidentDocument,
  PublicPageDocument,
} from '@probe-mesh/contracts/status-page/public-page'
import { attribute, html, type Html } from '@probe-mesh/runtime/html'
import { facts } from '../../html/components/card.ts'
import { icon } from '../../html/components/icon.ts'
import { tag } from '../../html/components/tag.ts'
import { componentList } from './component-list.ts'
import {
  incidentArticle,
  incidentState,
  openIncidents,
  recentIncidents,
  updateList,
} from './incident-list.ts'
import { ago, pageTextOf, when, type PageText } from './page-text.ts'
import { headlineLooks, stateTones } from './status-words.ts'
import { windowList } from './window-list.ts'

/** The content of a status page below its header: present problems first. */
export const statusMain = (document: PublicPageDocument): Html => {
  const { page, incidents, components, windows } = document
  const text = pageTextOf(page)
  const listing = { components, text, path: page.path }
  const [active, scheduled] = [
    windows.filter(({ state }) => state === 'active'),
    windows.filter(({ state }) => state !== 'active'),
  ]
  return html`${banner(document, text)} ${openIncidents(incidents, listing)}
  ${windowList(active, { ...listing, id: 'active' })} ${componentList(document, text)}
  ${windowList(scheduled, { ...listing, id: 'scheduled' })} ${recentIncidents(document, listing)}`
}

const banner = ({ headline, asOf, vantage, page }: PublicPageDocument, text: PageText): Html => {
  const { tone, icon: iconName } = headlineLooks[headline.level]
  const language = headline.language === text.words.language ? null : headline.language
  const said = html`<bdi${attribute('lang', language)}>${headline.text}</bdi>`
  return html`<div class="banner ${tone}">
    ${icon(iconName)}
    <div>
      <h2 id="headline">
        ${
          headline.incidentId === null
            ? said
            : html`<a href="${page.path}/incidents/${headline.incidentId}">${said}</a>`
        }
      </h2>
      <p>${asOfText(asOf, text)}</p>
      ${vantage === 'local' && html`<p>${text.words.page.localVantage}</p>`}
    </div>
  </div>`
}

/** islands/fresh.js updates the time whenever the page is confirmed. */
const asOfText = (asOf: string, text: PageText): Html =>
  html`${text.words.page.updated} <span data-as-of>${ago(text, asOf)}</span>`

const backTo = (path: string, text: string): Html =>
  html`<p class="back"><a href="${path}">${icon('previous')}${text}</a></p>`

/** One incident with its affected components and its timeline. */
export const incidentMain = ({ asOf, page, incident, components }: PublicIncidentDocument): Html => {
  const text = pageTextOf(page)
  const { words, formats } = text
  const { title, startedAt, resolvedAt, source } = incident
  const endMs = Date.parse(resolvedAt ?? asOf)
  return html`${backTo(page.path, words.page.backToPage)}
    <article id="incident-${incident.id}">
      <h2 class="incident-title">${text.line(title)}</h2>
      <p class="incident-facts">
        ${incidentState(incident, text)}
        <span>${source === 'automatic' ? words.page.byMeasurement : words.page.byTeam}</span>
      </p>
      <div class="card">
        ${facts([
          [words.page.began, when(text, startedAt)],
          [words.page.resolved, resolvedAt === null ? words.page.stillOpen : when(text, resolvedAt)],
          [words.page.duration, formats.duration((endMs - Date.parse(startedAt)) / 1000)],
        ])}
        ${
          components.length > 0 &&
          html`<h3>${words.page.affects}</h3>
            <ul class="affected">
              ${components.map(
                ({ displayName, state }) =>
                  html`<li>
                    ${text.line(displayName)} ${tag({ tone: stateTones[state], text: words.states[state] })}
                  </li> `,
              )}
            </ul>`
        }
      </div>
      ${updateList(incident, text)}
    </article>
    <p class="muted small-print">${asOfText(asOf, text)}</p>`
}

/** The incidents that began in one month, with links to the months before and after. */
export const historyMain = ({
  asOf,
  page,
  month,
  incidents,
  components,
  hasMoreIncidents,
  olderMonth,
  newerMonth,
}: PublicHistoryDocument): Html => {
  const text = pageTextOf(page)
  const { words, formats } = text
  const listing = { components, text, path: page.path }
  return html`${backTo(page.path, words.page.backToPage)}
    <div class="month">
      <h2>${words.page.incidentsOf(formats.month(month))}</h2>
      <nav aria-label="${words.page.history}">
        <ul>
          ${olderMonth !== null && monthLink(page.path, olderMonth, html`${icon('previous')}${formats.month(olderMonth)}`)}
          ${newerMonth !== null && monthLink(page.path, newerMonth, html`${formats.month(newerMonth)}${icon('next')}`)}
        </ul>
      </nav>
    </div>
    ${incidents.length === 0 && html`<p class="empty">${words.page.noIncidents}</p>`}
    ${incidents.map((incident) => incidentArticle(incident, { ...listing, level: 3 }))}
    ${hasMoreIncidents && html`<p>${words.page.moreIncidents}</p>`}
    <p class="muted small-print">${asOfText(asOf, text)}</p>`
}

const monthLink = (path: string, month: string, text: Html): Html =>
  html`<li><a class="button" href="${path}/history?month=${month}">${text}</a></li> `
