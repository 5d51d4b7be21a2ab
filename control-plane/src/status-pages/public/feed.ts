import type { Incident } from '@probe-mesh/contracts/incident/incident'
import { publicFormats } from '@probe-mesh/contracts/status-page/words/formats'
import type { PublicWords } from '@probe-mesh/contracts/status-page/words/public-words'
import { wordsOf } from '@probe-mesh/contracts/status-page/words/words-of'
import { Feed } from 'feed'
import { html, textOf, withBreaks } from '@probe-mesh/runtime/html'
import {
  displayName,
  incidentLink,
  incidentUpdatedAt,
  lastChangeAt,
  type PublicPage,
  type PublicWindow,
} from './public-page.ts'

/** RSS 2.0 or Atom 1.0 (RFC 4287) with an item for each incident and maintenance window, newest first. */
export const feedOf = (page: PublicPage, format: 'rss' | 'atom'): string => {
  const words = wordsOf(page.page.locale)
  const name = xmlText(displayName(page.page))
  const { url, id, description } = page.page
  const feed = new Feed({
    id: `urn:uuid:${id}`,
    title: name,
    link: url,
    description: xmlText(`${page.headline.text} | ${description ?? words.feed.about(name)}`),
    language: page.page.locale,
    updated: new Date(lastChangeAt(page)),
    feed: `${url}/feed.${format}`,
    author: { name },
    generator: 'Probe Mesh',
  })
  // feed readers parse titles as HTML in both formats, although RSS does not specify it
  for (const { title, ...item } of itemsOf(page, words)) {
    feed.addItem({ ...item, title: textOf(title) })
  }
  return format === 'atom' ? feed.atom1() : feed.rss2()
}

const itemsOf = (page: PublicPage, words: PublicWords) =>
  [
    ...page.incidents.map((incident) => incidentItem(page, incident, words)),
    ...page.windows.map((window) => maintenanceItem(page, window, words)),
  ].toSorted((a, b) => b.date.getTime() - a.date.getTime())

const incidentItem = (page: PublicPage, incident: Incident, words: PublicWords) => {
  const { feed, statuses, impacts } = words
  const affected = page.components.filter(({ id }) => incident.componentIds?.includes(id))
  const latest = incident.updates[0]
  return {
    title: xmlText(feed.incident(incident.title)),
    id: `urn:uuid:${incident.id}`,
    link: incidentLink(page, incident),
    date: new Date(incidentUpdatedAt(incident)),
    published: new Date(incident.startedAt),
    content: htmlOf(words, [
      [feed.status, statuses[incident.status]],
      [feed.impact, impacts[incident.impact ?? 'minor']],
      ...affectedFact(affected, words),
      ['', latest === undefined ? '' : latest.body],
    ]),
  }
}

const maintenanceItem = (page: PublicPage, window: PublicWindow, words: PublicWords) => {
  const { feed } = words
  const { instant } = publicFormats(page.page.locale)
  const affected = page.components.filter(({ id }) => window.componentIds.includes(id))
  return {
    title: xmlText(feed.maintenance(window.title)),
    id: `urn:uuid:${window.id}`,
    link: `${page.page.url}#maintenance-${window.id}`,
    date: new Date(window.changedAt),
    published: new Date(window.createdAt),
    content: htmlOf(words, [
      [feed.from, instant(Date.parse(window.startsAt))],
      [feed.to, instant(Date.parse(window.endsAt))],
      ...affectedFact(affected, words),
      ['', window.body],
    ]),
  }
}

type Fact = readonly [name: string, value: string]

const affectedFact = (
  components: readonly { displayName: string }[],
  { feed, headline }: PublicWords,
): Fact[] =>
  components.length === 0
    ? []
    : [[feed.affected, headline.list(components.map(({ displayName }) => displayName))]]

const htmlOf = ({ headline }: PublicWords, facts: readonly Fact[]): string =>
  facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => (name === '' ? value : headline.about(name, value)))
    .map((text) => textOf(html`<p>${withBreaks(xmlText(text))}</p>`))
    .join('\n')

/** Removes characters that XML does not allow (XML 1.0, 2.2). */
const xmlText = (text: string): string =>
  // eslint-disable-next-line no-control-regex
  text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
