import { wordsOf } from '@probe-mesh/contracts/status-page/words/words-of'
import ical, { ICalCalendarMethod, ICalEventStatus, ICalEventTransparency } from 'ical-generator'
import type { WindowRecord } from '../../maintenance/window.ts'
import { displayName, type PublicPage } from './public-page.ts'

/** How often calendar programs should look for changes. */
const refreshSeconds = 900

/**
 * The maintenance of a page as a calendar (RFC 5545). A window keeps its UID through all changes, and each
 * change has the next sequence number. Cancelled windows are in it, so that programs remove them. The text
 * depends on the page alone, so that an unchanged calendar is not sent again.
 */
export const calendarOf = (page: PublicPage): string => {
  const { calendar: names, language } = wordsOf(page.page.locale)
  const calendar = ical({
    name: plain(names.name(displayName(page.page))),
    prodId: { company: 'Probe Mesh', product: 'Status page', language: language.toUpperCase() },
    method: ICalCalendarMethod.PUBLISH,
    url: `${page.page.url}/maintenance.ics`,
    ttl: refreshSeconds,
  })
  for (const window of page.calendar) calendar.createEvent(eventOf(page, window))
  // each line ends with a line break, the last one too
  return `${calendar.toString()}\r\n`
}

const eventOf = (page: PublicPage, window: WindowRecord) => {
  const { startsAtMs, endsAtMs, createdAtMs, changedAtMs, cancelledAtMs, revision = 0 } = window
  const changedAt = new Date(changedAtMs ?? createdAtMs)
  return {
    id: window.id,
    sequence: revision,
    start: new Date(startsAtMs),
    // an event must not end where it starts
    ...(endsAtMs > startsAtMs ? { end: new Date(endsAtMs) } : {}),
    stamp: changedAt,
    created: new Date(createdAtMs),
    lastModified: changedAt,
    summary: plain(window.title),
    description: { plain: plain(descriptionOf(page, window)) },
    url: `${page.page.url}#maintenance-${window.id}`,
    status: (cancelledAtMs ?? null) === null ? ICalEventStatus.CONFIRMED : ICalEventStatus.CANCELLED,
    transparency: ICalEventTransparency.TRANSPARENT,
  }
}

const descriptionOf = ({ page, components }: PublicPage, { wholePage, componentIds, body }: WindowRecord) => {
  const { feed, mail, headline } = wordsOf(page.locale)
  const names = components.filter(({ id }) => componentIds.includes(id)).map((one) => one.displayName)
  const affected = wholePage ? mail.wholePage : names.length === 0 ? mail.nothingShown : headline.list(names)
  return `${headline.about(feed.affected, affected)}\n\n${body}`
}

/** Removes characters that a calendar may not contain, and breaks lines in one way (RFC 5545, 3.3.11). */
const plain = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\t\n])\p{Cc}/gu, '')
