import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { timeText } from './time-text.ts'

const at = (text: string): number => Date.parse(text)
const nov = at('2026-11-28T13:05:59Z')

test.each([
  ['UTC', '13:05 UTC, 28 Nov'],
  ['Europe/Berlin', '14:05 CET, 28 Nov'],
  ['Europe/London', '13:05 GMT, 28 Nov'],
  ['America/New_York', '08:05 EST, 28 Nov'],
  ['Asia/Kolkata', '18:35 IST, 28 Nov'],
  ['Asia/Tokyo', '22:05 UTC+9, 28 Nov'],
  ['Pacific/Auckland', '02:05 NZDT, 29 Nov'],
  // a zone of a newer time zone database
  ['Mars/Olympus', '13:05 UTC, 28 Nov'],
])('a time is that of its zone, with the name or the offset of the zone: %s', (zone, text) => {
  expect(timeText(nov, zone, nov)).toBe(text)
})

test('the name follows the clock change, and September is as short as other months', () => {
  expect(timeText(at('2026-09-30T21:59:00Z'), 'Europe/Berlin', nov)).toBe('23:59 CEST, 30 Sep')
  expect(timeText(at('2026-10-25T00:59:00Z'), 'Europe/Berlin', nov)).toBe('02:59 CEST, 25 Oct')
  expect(timeText(at('2026-10-25T01:00:00Z'), 'Europe/Berlin', nov)).toBe('02:00 CET, 25 Oct')
})

test('a time of another year of its zone has the year', () => {
  expect(timeText(at('2027-01-03T00:00:00Z'), 'UTC', nov)).toBe('00:00 UTC, 3 Jan 2027')
  expect(timeText(at('2026-12-31T23:30:00Z'), 'Europe/Berlin', nov)).toBe('00:30 CET, 1 Jan 2027')
  expect(timeText(at('2026-12-31T23:30:00Z'), 'UTC', nov)).toBe('23:30 UTC, 31 Dec')
})

test('a time is the wall clock of its zone, for any instant and zone', () => {
  const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
  const instants = fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z') })
  forAll([zones, instants], { numRuns: 300 }, (zone, ms) => {
    const shape = /^(\d\d:\d\d) \S+, (\d{1,2}) ([A-Z][a-z]{2}) (\d{4})$/
    // another year, so that the text has one
    const [, clock, day, month, year] = shape.exec(timeText(ms, zone, 0)) ?? []
    const wall = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
    expect(`${new Date(`${day} ${month} ${year} 12:00Z`).toISOString().slice(0, 10)} ${clock}`).toBe(
      wall.format(ms),
    )
  })
})
