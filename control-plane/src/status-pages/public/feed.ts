import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import { Feed } from 'feed'
import { html, textOf, withBreaks } from '@probe-mesh/runtime/html'
import { displayName, incidentUpdatedAt, lastChangeAt } from './public-page.ts'
import type { PublicPage } from './public-page.ts'

/** RSS 2.0 or Atom 1.0 (RFC 4287) with an item for each incident and maintenance window, newest first. */
export const feedOf = (page: PublicPage, format: 'rss' | 'atom'): string => {
  const name = xmlText(displayName(page.page))
  const { url, id, description } = page.page
  const feed = new Feed({
    id: `urn:uuid:${id}`,
    title: name,
    link: url,
    description: xmlText(description ?? `Incidents and maintenance of ${name}`),
    language: page.page.locale,
    updated: new Date(lastChangeAt(page)),
    feed: `${url}/feed.${format}`,
    author: { name },
    generator: 'Probe Mesh',
  })
  // feed readers parse titles as HTML in both formats, although RSS does not specify it
  for (const { title, ...item } of itemsOf(page)) {
    feed.addItem({ ...item, title: textOf(title) })
  }
  return format === 'atom' ? feed.atom1() : feed.rss2()
}

const itemsOf = (page: PublicPage) =>
  [
    ...page.incidents.map((incident) => incidentItem(page, incident)),
    ...page.windows.map((window) => maintenanceItem(page, window)),
  ].toSorted((a, b) => b.date.getTime() - a.date.getTime())

const incidentItem = (page: PublicPage, incident: Incident) => {
  const affected = page.components.filter(({ checkId }) => checkId === incident.checkId)
  const latest = incident.updates[0]
  return {
    title: xmlText(`Incident: ${incident.title}`),
    id: `urn:uuid:${incident.id}`,
    link: `${page.page.url}#incident-${incident.id}`,
    date: new Date(incidentUpdatedAt(incident)),
    published: new Date(incident.startedAt),
    content: htmlOf([
      ['Status', incident.status],
      ...affectedFact(affected),
      ['', latest === undefined ? '' : latest.body],
    ]),
  }
}

const maintenanceItem = (page: PublicPage, window: MaintenanceWindow) => {
  const affected = page.components.filter(({ id }) => window.componentIds.includes(id))
  return {
    title: xmlText(`Maintenance: ${window.title}`),
    id: `urn:uuid:${window.id}`,
    link: `${page.page.url}#maintenance-${window.id}`,
    date: new Date(window.createdAt),
    published: new Date(window.createdAt),
    content: htmlOf([
      ['From', window.startsAt],
      ['To', window.endsAt],
      ...affectedFact(affected),
      ['', window.body],
    ]),
  }
}

type Fact = readonly [name: string, value: string]

const affectedFact = (components: readonly { displayName: string }[]): Fact[] =>
  components.length === 0 ? [] : [['Affected', components.map(({ displayName }) => displayName).join(', ')]]

const htmlOf = (facts: readonly Fact[]): string =>
  facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => textOf(html`<p>${name !== '' && `${name}: `}${withBreaks(xmlText(value))}</p>`))
    .join('\n')

/** Removes characters that XML does not allow (XML 1.0, 2.2). */
const xmlText = (text: string): string =>
  // eslint-disable-next-line no-control-regex
  text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
