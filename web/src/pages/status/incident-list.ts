import {
  recentDays,
  type PublicIncident,
  type PublicPageDocument,
} from '@probe-mesh/contracts/status-page/public-page'
import { html, type Html } from '@probe-mesh/runtime/html'
import { tag } from '../../html/components/tag.ts'
import { when, type PageText } from './page-text.ts'
import { incidentTones } from './status-words.ts'

export type NamedComponents = readonly { id: string; displayName: string }[]

export type Listing = { components: NamedComponents; text: PageText; path: string }

/** One incident with its timeline, newest first. Feeds and badges link to its anchor. */
export const incidentArticle = (
  incident: PublicIncident,
  { components, text, path, level }: Listing & { level: 3 | 4 },
): Html => {
  const { id, title, startedAt, resolvedAt } = incident
  const { words, formats } = text
  const affected = affectedOf(incident, components, words.mail.more)
  const link = html`<a href="${path}/incidents/${id}">${text.line(title)}</a>`
  const seconds = resolvedAt === null ? null : (Date.parse(resolvedAt) - Date.parse(startedAt)) / 1000
  return html`<article class="incident" id="incident-${id}">
    ${level === 3 ? html`<h3>${link}</h3>` : html`<h4>${link}</h4>`}
    <p class="incident-facts">
      ${incidentState(incident, text)}
      ${affected !== null && html`<span>${words.page.affects}: ${text.line(affected)}</span>`}
      ${seconds !== null && html`<span>${words.page.duration}: ${formats.duration(seconds)}</span>`}
    </p>
    ${updateList(incident, text)}
  </article> `
}

/** The status, with the impact if there is one. */
export const incidentState = ({ status, impact }: PublicIncident, { words }: PageText): Html =>
  html`${tag({ tone: incidentTones[status], text: words.statuses[status] })}
  ${impact !== 'none' && html`<span>${words.feed.impact}: ${words.impacts[impact]}</span>`}`

export const updateList = ({ updates }: Pick<PublicIncident, 'updates'>, text: PageText): Html =>
  html`<ol class="updates">
    ${updates.map(
      ({ status, createdAt, body }) =>
        html`<li class="${incidentTones[status]}">
          <p class="update-head"><strong>${text.words.statuses[status]}</strong> ${when(text, createdAt)}</p>
          ${text.prose(body)}
        </li> `,
    )}
  </ol>`

/** The maximum of listed components; the rest are counted. */
const affectedMax = 10

/** The affected components by name; null if none is still published. */
export const affectedOf = (
  { componentId, componentIds = componentId === null ? [] : [componentId] }: Affecting,
  components: NamedComponents,
  more: (names: string, count: number) => string,
): string | null => {
  const names = componentIds.flatMap(
    (id) => components.find((component) => component.id === id)?.displayName ?? [],
  )
  const named = names.slice(0, affectedMax).join(', ')
  if (names.length === 0) return null
  return names.length > affectedMax ? more(named, names.length - affectedMax) : named
}

type Affecting = Pick<PublicIncident, 'componentId' | 'componentIds'>

export const openIncidents = (incidents: readonly PublicIncident[], listing: Listing): Html | null => {
  const open = incidents.filter(({ resolvedAt }) => resolvedAt === null)
  if (open.length === 0) return null
  return html`<section class="open-incidents" aria-labelledby="open">
    <h2 id="open">${listing.text.words.page.openIncidents}</h2>
    ${open.map((incident) => incidentArticle(incident, { ...listing, level: 3 }))}
  </section> `
}

/** A day with the incidents that began on it, or several days without any. */
type DayOfIncidents = { from: string; to: string; incidents: PublicIncident[] }

/** The last days, newest first. @param asOf the instant that the incidents were read */
const byDay = (incidents: readonly PublicIncident[], asOf: string): DayOfIncidents[] => {
  const groups: DayOfIncidents[] = []
  const today = Date.parse(`${asOf.slice(0, 10)}T00:00:00.000Z`)
  for (let ago = 0; ago < recentDays; ago += 1) {
    const date = new Date(today - ago * 86_400_000).toISOString().slice(0, 10)
    const began = incidents.filter(({ startedAt }) => startedAt.startsWith(date))
    const last = groups.at(-1)
    if (last !== undefined && last.incidents.length + began.length === 0) last.from = date
    else groups.push({ from: date, to: date, incidents: began })
  }
  return groups
}

/** The incidents of the last days, by day; open ones are listed above and linked. */
export const recentIncidents = (
  { incidents, asOf, hasMoreIncidents }: PublicPageDocument,
  listing: Listing,
): Html => {
  const { text, path } = listing
  const { page } = text.words
  return html`<section class="recent" aria-labelledby="recent">
    <h2 id="recent">${page.pastIncidents(recentDays)}</h2>
    ${byDay(incidents, asOf).map(
      ({ from, to, incidents: own }) =>
        html`<div class="day-of-incidents">
          <h3>${text.formats.days(from, to)}</h3>
          ${own.length === 0 && html`<p class="muted">${page.noIncidents}</p>`}
          ${own.map((incident) =>
            incident.resolvedAt === null
              ? html`<p>
                  <a href="#incident-${incident.id}">${text.line(incident.title)}</a> · ${page.stillOpen}
                </p>`
              : incidentArticle(incident, { ...listing, level: 4 }),
          )}
        </div>`,
    )}
    ${hasMoreIncidents && html`<p>${page.moreIncidents}</p>`}
    <p><a class="button" href="${path}/history">${page.olderIncidents}</a></p>
  </section>`
}
