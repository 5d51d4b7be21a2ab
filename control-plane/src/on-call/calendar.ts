import ical, { ICalCalendarMethod, ICalEventTransparency } from 'ical-generator'
import type { Sql } from '../stores/postgres/connect.ts'
import type { UnsubscribeTokens } from '../accounts/link-tokens.ts'
import { findMemberNames, findScheduleOfFeed, type ScheduleRecord } from './schedules-store.ts'
import { wholeShifts, type Rotation, type ShiftSpan } from './who-is-on-call.ts'

/** How often calendar programs should look for changes. */
const refreshSeconds = 900
const dayMs = 86_400_000
const pastMs = 7 * dayMs
const futureMs = 56 * dayMs
/** Whole years in which the start and the end of a shift are searched. */
const [yearsBack, yearsAhead] = [5, 3]

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

/**
 * The shifts that touch the days of the calendar, each from its true start to its true end, so that its event keeps
 * its id and its times while days pass (S-1973). A shift without an end in sight ends with a year. No one is on call
 * from the creation of the schedule at the earliest.
 */
const shownShifts = (schedule: Rotation & { createdAtMs: number }, today: number): ShiftSpan[] => {
  const year = new Date(today).getUTCFullYear()
  const sight = { fromMs: Date.UTC(year - yearsBack, 0), toMs: Date.UTC(year + yearsAhead, 0) }
  const shifts = wholeShifts(schedule, { fromMs: today - pastMs, toMs: today + futureMs }, sight)
  return shifts.flatMap((shift) => {
    const isMember = shift.userId !== null
    const fromMs = isMember ? shift.fromMs : Math.max(shift.fromMs, schedule.createdAtMs)
    return fromMs < shift.toMs ? [{ ...shift, fromMs }] : []
  })
}

/** Shifts from a week ago to eight weeks ahead (RFC 5545). Times without a member on call are events too. */
export const calendarText = (
  schedule: Omit<ScheduleRecord, 'accountId' | 'feedId'> & { createdAtMs: number },
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
  // whole days, so that the text changes once a day
  const today = Math.floor(nowMs / dayMs) * dayMs
  for (const { userId, fromMs, toMs } of shownShifts(schedule, today)) {
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
