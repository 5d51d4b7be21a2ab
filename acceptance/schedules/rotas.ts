import { calendarText } from '@probe-mesh/control-plane/src/on-call/calendar'
import { shiftsBetween } from '@probe-mesh/control-plane/src/on-call/who-is-on-call'
import { Layer } from '@probe-mesh/contracts/on-call/schedule'
import { turnNotes } from '@probe-mesh/contracts/on-call/turn-shares'
import ICAL from 'ical.js'
import { expect } from 'vitest'
import { clockOf, daysOnCall, modelRota, type ModelLayer } from './model.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const yearDays = 365
/** The first day of every rota; the day before it is read too. */
const startDate = '2026-03-02'
const startMs = Date.parse(`${startDate}T00:00:00Z`) - dayMs
const endMs = startMs + (yearDays + 2) * dayMs

const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'America/Santiago',
  'UTC',
]
const weeks = [[1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5], [6, 7], [1, 3, 5], [1, 2, 3, 4, 5, 6], [2]]
const hours = [
  ['09:00', null],
  ['09:00', '17:00'],
  ['22:00', '06:00'],
  ['00:00', null],
  ['02:30', '14:15'],
] as const
const lengths = [1, 2, 3, 7]
const units = ['days', 'weeks', 'on_call_days'] as const

export type Rota = { name: string; timeZone: string; layer: ModelLayer }

/** Every number of members, unit, length and set of days; zones and hours take turns. */
export const allRotas: readonly Rota[] = Array.from({ length: 14 }, (_, index) => index + 1).flatMap(
  (people) =>
    units.flatMap((unit) =>
      lengths.flatMap((length) =>
        weeks.map((weekdays, week): Rota => {
          const seed = people * 7 + length * 3 + week * 11 + units.indexOf(unit)
          const timeZone = zones[seed % zones.length] ?? 'UTC'
          const [handOver, until] = hours[seed % hours.length] ?? ['09:00', null]
          const userIds = Array.from(
            { length: people },
            (_, at) => `00000000-0000-4000-8000-0000000000${10 + at}`,
          )
          const layer = { userIds, handOver, until, length, unit, startDate, weekdays }
          const name = `${people} members, ${length} ${unit}, days ${weekdays.join('')}, ${handOver} to ${until}, ${timeZone}`
          return { name, timeZone, layer }
        }),
      ),
    ),
)

/** The product and the model agree on a year, and shares are within one turn, or it is told at save. */
export const expectFairYear = ({ name, timeZone, layer }: Rota): void => {
  const layers = [Layer.parse(layer)]
  const clock = clockOf(timeZone, startMs, endMs)
  const expected = modelRota([layer], clock)
  const shifts = shiftsBetween({ timeZone, layers, overrides: [] }, startMs, endMs)
  let at = 0
  const wrong = clock.find(({ ms }, index) => {
    while ((shifts[at]?.toMs ?? Infinity) <= ms) at += 1
    return shifts[at]?.userId !== expected[index]
  })
  expect([name, wrong]).toEqual([name, undefined])

  // seven rounds, by days or by days on call, end on the weekday on which they began
  const cycle = layer.userIds.length * layer.length * 7
  const counts = [...daysOnCall(layer, cycle).values()]
  const [notes, most, least] = [turnNotes(layers, startMs), Math.max(...counts), Math.min(...counts)]
  const kinds = least === 0 ? ['never'] : most > least ? ['unequal'] : []
  expect([name, notes.map(({ kind }) => kind)]).toEqual([name, kinds])
  if (least === 0) {
    const idle = [...daysOnCall(layer, cycle)].flatMap(([userId, days]) => (days === 0 ? [userId] : []))
    expect([name, notes[0]]).toEqual([name, expect.objectContaining({ userIds: idle })])
  }
  // turns of days that may be free are equal by the cycle, all others within one turn at any time
  if (kinds.length > 0 || (layer.unit === 'days' && layer.weekdays.length < 7)) return
  const hoursOf = new Map(layer.userIds.map((userId) => [userId, 0]))
  for (const { userId, fromMs, toMs } of shifts)
    if (userId !== null) hoursOf.set(userId, (hoursOf.get(userId) ?? 0) + (toMs - fromMs) / hourMs)
  const sums = [...hoursOf.values()]
  const dayHours =
    layer.until === null
      ? 24
      : (Number(layer.until.slice(0, 2)) - Number(layer.handOver.slice(0, 2)) + 24) % 24
  const turnDays = layer.unit === 'weeks' ? layer.length * layer.weekdays.length : layer.length
  // a clock that is changed twice a year gives or takes an hour
  const inTurn = Math.max(...sums) - Math.min(...sums) <= turnDays * dayHours + 2
  expect([name, inTurn, sums]).toEqual([name, true, sums])
}

/** Calendars read through the year by another program have every hour, and no event changes while days pass. */
export const expectCalendarYear = ({ name, timeZone, layer }: Rota): void => {
  const names = new Map(layer.userIds.map((userId) => [userId, userId]))
  const schedule = {
    id: 'rota',
    name: 'Rota',
    timeZone,
    layers: [Layer.parse(layer)],
    overrides: [],
    createdAtMs: startMs,
  }
  const clock = clockOf(timeZone, startMs, endMs)
  const expected = modelRota([layer], clock)
  const known = new Map<string, string>()
  for (let today = startMs; today < endMs; today += dayMs) {
    const isWhole = ((today - startMs) / dayMs) % 56 === 0
    if (!isWhole && ((today - startMs) / dayMs) % 13 !== 0) continue
    const text = calendarText(schedule, names, today + 9 * hourMs)
    const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent').map((part) => {
      const event = new ICAL.Event(part)
      return {
        uid: event.uid,
        who: event.summary,
        fromMs: event.startDate.toJSDate().getTime(),
        toMs: event.endDate.toJSDate().getTime(),
      }
    })
    expect(new Set(events.map(({ uid }) => uid)).size).toBe(events.length)
    for (const { uid, who, fromMs, toMs } of events) {
      const isEndless = new Date(toMs).toISOString().endsWith('-01-01T00:00:00.000Z')
      const times = `${who} ${fromMs} ${isEndless ? 'no end in sight' : toMs}`
      expect([name, uid, known.get(uid) ?? times]).toEqual([name, uid, times])
      known.set(uid, times)
    }
    if (!isWhole) continue
    for (const [index, { ms }] of clock.entries()) {
      if (index % 4 !== 0 || ms < today || ms >= today + 56 * dayMs) continue
      const now = events.filter(({ fromMs, toMs }) => fromMs <= ms && ms < toMs)
      const who = expected[index] ?? null
      const said = who === null ? 'No one is on call: Rota' : `${who} (Rota)`
      if (now.length !== 1 || now[0]?.who !== said)
        expect([name, new Date(ms).toISOString(), now.map((each) => each.who)]).toEqual([
          name,
          new Date(ms).toISOString(),
          [said],
        ])
    }
  }
}
