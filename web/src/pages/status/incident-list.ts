import { recentDays } from '@probe-mesh/contracts/status-page/public-page'
import type { PublicIncident, PublicPageDocument } from '@probe-mesh/contracts/status-page/public-page'
import { time } from '../../html/measures.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { tag } from '../../html/components/tag.ts'
import { datesOf } from './day-words.ts'
import type { OwnText } from './own-text.ts'
import { incidentWords } from './status-words.ts'

export type NamedComponents = readonly { id: string; displayName: string }[]

/** One incident with its timeline, newest first. Its anchor is what feeds and badges link to. */
export const incidentArticle = (
  incident: PublicIncident,
  { components, own, level }: { components: NamedComponents; own: OwnText; level: 2 | 3 | 4 },
): Html => {
  const { id, title, status, source, region, startedAt, resolvedAt, updates } = incident
  const affected = affectedOf(incident, components)
  const heading = html`${own.line(title)} ${tag(incidentWords[status])}`
  return html`<article id="incident-${id}">
    ${headingOf(level, heading)}
    <p class="muted">
      ${affected !== null && html`Affects ${own.line(affected)}. `}Began
      ${time(startedAt)}${resolvedAt !== null && html`, resolved ${time(resolvedAt)}`}.
      ${source === 'automatic' ? 'Opened by measurement' : 'Declared by a person'}${region !== null && `, first seen from ${region}`}.
    </p>
    <ol class="plainly">
      ${updates.map(
        (update) =>
          html`<li>
            <strong>${incidentWords[update.status].text}</strong>, ${time(update.createdAt)}
            ${own.prose(update.body)}
          </li> `,
      )}
    </ol>
  </article> `
}

const headingOf = (level: 2 | 3 | 4, heading: Html): Html => {
  switch (level) {
    case 2:
      return html`<h2>${heading}</h2>`
    case 3:
      return html`<h3>${heading}</h3>`
    case 4:
      return html`<h4>${heading}</h4>`
  }
}

/** Components that an incident names; of the rest it says how many. */
const affectedMax = 10

/** What an incident affects, by name; null where none of it is published any more. */
export const affectedOf = (
  { componentId, componentIds = componentId === null ? [] : [componentId] }: Affecting,
  components: NamedComponents,
): string | null => {
  const names = componentIds.flatMap(
    (id) => components.find((component) => component.id === id)?.displayName ?? [],
  )
  const more = names.length - affectedMax
  const named = names.slice(0, affectedMax).join(', ')
  if (names.length === 0) return null
  return more > 0 ? `${named} and ${more} more` : named
}

type Affecting = Pick<PublicIncident, 'componentId' | 'componentIds'>

export const openIncidents = (
  { incidents, components }: Pick<PublicPageDocument, 'incidents' | 'components'>,
  own: OwnText,
): Html | null => {
  const open = incidents.filter(({ resolvedAt }) => resolvedAt === null)
  if (open.length === 0) return null
  return html`<section aria-labelledby="open">
    <h2 id="open">Open incidents</h2>
    ${open.map((incident) => incidentArticle(incident, { components, own, level: 3 }))}
  </section> `
}

/** A day with the incidents that began on it, or several days without any. */
export type DayOfIncidents = { from: string; to: string; incidents: PublicIncident[] }

/** The last days, newest first. @param asOf the instant that the incidents were read */
export const byDay = (incidents: readonly PublicIncident[], asOf: string): DayOfIncidents[] => {
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

/** What began in the last days, by day; what is still open is above, and linked to. */
export const recentIncidents = (
  { incidents, components, asOf, page, hasMoreIncidents }: PublicPageDocument,
  own: OwnText,
): Html =>
  html`<section aria-labelledby="recent">
    <h2 id="recent">Incidents of the last ${recentDays} days</h2>
    ${byDay(incidents, asOf).map(
      (day) =>
        html`<h3>${datesOf(day)}</h3>
          ${day.incidents.length === 0 && html`<p class="muted">No incident was opened.</p>`}
          ${day.incidents.map((incident) =>
            incident.resolvedAt === null
              ? html`<p><a href="#incident-${incident.id}">${own.line(incident.title)}</a>, still open</p>`
              : incidentArticle(incident, { components, own, level: 4 }),
          )}`,
    )}
    ${hasMoreIncidents && html`<p>There were more incidents than are shown here.</p>`}
    <p><a href="${page.path}/history">Older incidents</a></p>
  </section>`
