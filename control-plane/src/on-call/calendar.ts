import ical, { ICalCalendarMethod, ICalEventTransparency } from 'ical-generator'
import type { Sql } from '../stores/postgres/connect.ts'
import type { UnsubscribeTokens } from '../accounts/link-tokens.ts'
import { findMemberNames, findScheduleOfFeed, type ScheduleRecord } from './schedules-store.ts'
import { shiftsBetween } from './who-is-on-call.ts'

/** How often calendar programs should look for changes. */
const refreshSeconds = 900
const dayMs = 86_400_000
const pastMs = 7 * dayMs
const futureMs = 56 * dayMs

/** The calendar of a schedule, for the holder of its secret address; null: there is none with this address. */
export const readCalendar = async (
  { sql, tokens, now }: { sql: Sql; tokens: UnsubscribeTokens; now: () => number },
  token: string,
): Promise<string | null> => {
  const feedId = tokens.read(token)
  const schedule = feedId === null ? null : await findScheduleOfFeed(sql, feedId)
  if (schedule === null) return null
  const names = new Map((await findMemberNames(sql, schedule.accountId)).map(({ id, name }) => [id, name]))
  return calendarText(schedule, names, now())
}

/** Shifts from a week ago to eight weeks ahead (RFC 5545). Times without a member on call are events too. */
const calendarText = (
  schedule: ScheduleRecord,
  names: ReadonlyMap<string, string>,
  nowMs: number,
): string => {
  const calendar = ical({
    // the library escapes no name
    name: escaped(plain(`On call: ${schedule.name}`)),
    prodId: { company: 'Probe Mesh', product: 'On call', language: 'EN' },
    method: ICalCalendarMethod.PUBLISH,
    ttl: refreshSeconds,
  })
  // whole days, so that the text changes once a day and a shift keeps its start
  const today = Math.floor(nowMs / dayMs) * dayMs
  for (const { userId, fromMs, toMs } of shiftsBetween(schedule, today - pastMs, today + futureMs)) {
    const who = userId === null ? 'No one is on call' : (names.get(userId) ?? 'A removed member')
    calendar.createEvent({
      id: `${schedule.id}-${fromMs}`,
      start: new Date(fromMs),
      end: new Date(toMs),
      stamp: new Date(today),
      summary: plain(userId === null ? `${who}: ${schedule.name}` : `${who} (${schedule.name})`),
      transparency: ICalEventTransparency.TRANSPARENT,
    })
  }
  return `${calendar.toString()}\r\n`
}

/** A text value (RFC 5545, 3.3.11). */
const escaped = (text: string): string => text.replaceAll(/[\\;,]/g, (sign) => `\\${sign}`)

/** Removes characters that a calendar may not contain. */
const plain = (text: string): string => text.toWellFormed().replaceAll(/\p{Cc}/gu, ' ')
