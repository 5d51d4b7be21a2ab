import type {
  PublicHistoryDocument,
  PublicIncidentDocument,
  PublicPageDocument,
} from '@probe-mesh/contracts/status-page/public-page'
import { time } from '../../html/measures.ts'
import { attribute, html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { componentList } from './component-list.ts'
import { incidentArticle, openIncidents, recentIncidents } from './incident-list.ts'
import { ownTextOf } from './own-text.ts'
import { headlineTones } from './status-words.ts'
import { subscribeSection } from './subscribe-form.ts'
import { windowList } from './window-list.ts'

/** Said on every page whose numbers come from one machine. */
export const localVantage = 'All regions are measured from one machine here: it stands for every one of them.'

/** What a status page says, below its owner's heading. */
export const statusMain = (document: PublicPageDocument): Html => {
  const own = ownTextOf(document.page)
  const { level, text, language } = document.headline
  return html`<p
      class="state ${headlineTones[level]}"
      ${attribute('lang', language === 'en' ? null : language)}
    >
      ${text}
    </p>
    <p class="muted">As of ${time(document.asOf)}. ${document.vantage === 'local' && localVantage}</p>
    ${openIncidents(document, own)} ${windowList(document, own)} ${componentList(document, own)}
    ${recentIncidents(document, own)} ${subscribeSection(document.page, document.components)}`
}

/** One incident with its timeline. */
export const incidentMain = ({ asOf, page, incident, components }: PublicIncidentDocument): Html => {
  const own = ownTextOf(page)
  return html`<p><a href="${page.path}">Back to the status page</a></p>
    ${incidentArticle(incident, { components, own, level: 2 })}
    <p class="muted">As of ${time(asOf)}.</p>`
}

/** The incidents that began in one month, and where those before and after are. */
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
  const own = ownTextOf(page)
  const link = (to: string, text: string): Html =>
    html`<li><a href="${page.path}/history?month=${to}">${text} ${to}</a></li> `
  return html`<h2>Incidents of ${month}</h2>
    <p class="muted">As of ${time(asOf)}. Incidents are listed by when they began, newest first.</p>
    ${incidents.length === 0 && html`<p>No incident was opened in this month.</p>`}
    ${incidents.map((incident) => incidentArticle(incident, { components, own, level: 3 }))}
    ${hasMoreIncidents && html`<p>There were more incidents in this month than are shown here.</p>`}
    <nav aria-label="Months">
      <ul>
        ${olderMonth !== null && link(olderMonth, 'Older:')}
        ${newerMonth !== null && link(newerMonth, 'Newer:')}
      </ul>
    </nav>`
}
