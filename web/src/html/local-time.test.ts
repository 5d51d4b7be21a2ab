import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { instantOf, typedOfInstant, zoneOr } from './local-time.ts'

test.each([
  ['2026-11-22T01:30', 'UTC', '2026-11-22T01:30:00.000Z'],
  ['2026-11-22T01:30:05.25', 'UTC', '2026-11-22T01:30:05.250Z'],
  ['2026-11-22T01:30', 'America/New_York', '2026-11-22T06:30:00.000Z'],
  ['2026-07-01T12:00', 'Europe/Berlin', '2026-07-01T10:00:00.000Z'],
  ['2026-11-22T01:30', 'Asia/Kathmandu', '2026-11-21T19:45:00.000Z'],
  // the hour from 2 to 3 occurs twice: the first one counts
  ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  // the hour from 2 to 3 is skipped: clocks then show 03:30
  ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
  // invalid text stays unchanged, for the API to refuse
  ['2026-11-22 01:30', 'UTC', '2026-11-22 01:30'],
  ['2026-99-22T01:30', 'UTC', '2026-99-22T01:30'],
  ['tomorrow', 'Europe/Berlin', 'tomorrow'],
])('%s in %s means %s', (typed, zone, instant) => {
  expect(instantOf(typed, zone)).toBe(instant)
})

test('a field means the minute that it shows, in every zone and with any system zone', () => {
  const zone = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/St_Johns',
    'Pacific/Apia',
    'Australia/Lord_Howe',
  )
  forAll([fc.integer({ min: 0, max: 4_102_444_800_000 }), zone], (ms, zone) => {
    const shown = typedOfInstant(ms, zone)
    expect(typedOfInstant(Date.parse(instantOf(shown, zone)), zone)).toBe(shown)
  })
})

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['UTC', 'UTC'],
  ['Mars/Olympus', 'UTC'],
  ['<script>', 'UTC'],
  ['', 'UTC'],
  [null, 'UTC'],
])('the zone %s is read as %s', (text, zone) => {
  expect(zoneOr(text)).toBe(zone)
})
