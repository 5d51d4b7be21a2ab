import { expect, test } from 'vitest'
import { heartbeatSettingsProblems, nextExpected } from './schedule.ts'
import { describeHeartbeat } from './describe-heartbeat.ts'
import { newHeartbeatState } from './state.ts'
import { parseOnCalendar } from './on-calendar.ts'
import { settingsOf } from './testing.ts'

const settings = (onCalendar: string, timeZone: string | null = null) =>
  settingsOf({ periodSeconds: null, onCalendar, timeZone })
/** The next three times after an instant, in UTC to the second. */
const next = (expression: string, after: string, zone: string | null = null) =>
  nextExpected(settings(expression, zone), Date.parse(after), 3)
    .map((ms) => new Date(ms).toISOString().replace('T', ' ').slice(0, 19))
    .join(', ')

/** The examples of systemd.time(7), by their normalized form, and what `systemd-analyze calendar` says of others. */
test.each([
  ['Sat,Thu,Mon..Wed,Sat..Sun', 'Mon..Thu,Sat,Sun *-*-* 00:00:00'],
  ['Wed *-1', 'Wed *-*-01 00:00:00'],
  ['Wed..Wed,Wed *-1', 'Wed *-*-01 00:00:00'],
  ['Wed, 17:48', 'Wed *-*-* 17:48:00'],
  ['*-*-7 0:0:0', '*-*-07 00:00:00'],
  ['10-15', '*-10-15 00:00:00'],
  ['monday *-12-* 17:00', 'Mon *-12-* 17:00:00'],
  ['Mon,Fri *-*-3,1,2 *:30:45', 'Mon,Fri *-*-01,02,03 *:30:45'],
  ['12,14,13,12:20,10,30', '*-*-* 12,13,14:10,20,30:00'],
  ['12..14:10,20,30', '*-*-* 12..14:10,20,30:00'],
  ['mon,fri *-1/2-1,3 *:30:45', 'Mon,Fri *-01/2-01,03 *:30:45'],
  ['03-05 08:05:40', '*-03-05 08:05:40'],
  ['08:05:40', '*-*-* 08:05:40'],
  ['05:40', '*-*-* 05:40:00'],
  ['Sat,Sun 12-05 08:05:40', 'Sat,Sun *-12-05 08:05:40'],
  ['Sat,Sun 08:05:40', 'Sat,Sun *-*-* 08:05:40'],
  ['2063-03-05 05:40', '2063-03-05 05:40:00'],
  ['2062..2064-04-05', '2062..2064-04-05 00:00:00'],
  ['63-03-05 05:40 UTC', '2063-03-05 05:40:00'],
  ['hourly', '*-*-* *:00:00'],
  ['daily UTC', '*-*-* 00:00:00'],
  ['Weekly', 'Mon *-*-* 00:00:00'],
  ['monthly', '*-*-01 00:00:00'],
  ['quarterly', '*-01,04,07,10-01 00:00:00'],
  ['semiannually', '*-01,07-01 00:00:00'],
  ['annually', '*-01-01 00:00:00'],
  ['weekly Pacific/Auckland', 'Mon *-*-* 00:00:00 Pacific/Auckland'],
  ['*:2/3', '*-*-* *:02/3:00'],
  ['*:0..0', '*:00'],
  ['Mon-Fri 09:00', 'Mon..Fri *-*-* 09:00:00'],
])('%s is %s', (expression, normalized) => {
  expect(next(expression, '2026-11-30T12:34:56Z')).toBe(next(normalized, '2026-11-30T12:34:56Z'))
  expect(parseOnCalendar(expression).ok).toBe(true)
})

test.each([
  ['Mon..Fri *-*-* 05:00:00', '2026-12-01 05:00:00, 2026-12-02 05:00:00, 2026-12-03 05:00:00'],
  ['Wed *-1', '2027-09-01 00:00:00, 2027-12-01 00:00:00, 2028-03-01 00:00:00'],
  ['*:0/10:30.5', '2026-11-30 12:40:30, 2026-11-30 12:50:30, 2026-11-30 13:00:30'],
  ['*-02~01', '2027-02-28 00:00:00, 2028-02-29 00:00:00, 2029-02-28 00:00:00'],
  ['*-02~03', '2027-02-26 00:00:00, 2028-02-27 00:00:00, 2029-02-26 00:00:00'],
  ['*~07/1', '2026-12-25 00:00:00, 2026-12-26 00:00:00, 2026-12-27 00:00:00'],
  ['Mon *-05~07/1', '2027-05-31 00:00:00, 2028-05-29 00:00:00, 2029-05-28 00:00:00'],
  ['*-2-29', '2028-02-29 00:00:00, 2032-02-29 00:00:00, 2036-02-29 00:00:00'],
  ['1/3:2', '2026-11-30 13:02:00, 2026-11-30 16:02:00, 2026-11-30 19:02:00'],
  ['10..12/2:00', '2026-12-01 10:00:00, 2026-12-01 12:00:00, 2026-12-02 10:00:00'],
  ['12:00 Europe/Berlin', '2026-12-01 11:00:00, 2026-12-02 11:00:00, 2026-12-03 11:00:00'],
  ['Mon *~01..04/2', '2027-03-29 00:00:00, 2027-05-31 00:00:00, 2027-06-28 00:00:00'],
])('%s is due at %s', (expression, times) => {
  expect(next(expression, '2026-11-30T12:34:56Z')).toBe(times)
})

test.each([
  [
    '02:30',
    'Europe/Berlin',
    '2026-03-28T20:00Z',
    '2026-03-30 00:30:00, 2026-03-31 00:30:00, 2026-04-01 00:30:00',
  ],
  [
    '02:30',
    'Europe/Berlin',
    '2026-10-24T20:00Z',
    '2026-10-25 00:30:00, 2026-10-26 01:30:00, 2026-10-27 01:30:00',
  ],
  [
    '*:00/30',
    'Europe/Berlin',
    '2026-10-25T00:00Z',
    '2026-10-25 00:30:00, 2026-10-25 02:00:00, 2026-10-25 02:30:00',
  ],
  [
    '02,03:00',
    'Europe/Berlin',
    '2026-03-28T20:00Z',
    '2026-03-29 01:00:00, 2026-03-30 00:00:00, 2026-03-30 01:00:00',
  ],
  [
    '00:30',
    'America/Santiago',
    '2026-09-05T00:00Z',
    '2026-09-05 04:30:00, 2026-09-07 03:30:00, 2026-09-08 03:30:00',
  ],
  [
    '02:15',
    'Australia/Lord_Howe',
    '2026-10-02T00:00Z',
    '2026-10-02 15:45:00, 2026-10-04 15:15:00, 2026-10-05 15:15:00',
  ],
  [
    '*:0/20',
    'Europe/Berlin',
    '2026-10-25T01:10Z',
    '2026-10-25 02:00:00, 2026-10-25 02:20:00, 2026-10-25 02:40:00',
  ],
])('in a clock change %s in %s is due as systemd says', (expression, zone, after, times) => {
  expect(next(expression, after, zone)).toBe(times)
})

test.each([
  '*-*-1..7 Mon',
  '*:*:*/30',
  '*:0/5.5',
  'Mon.. 00:00',
  'Tue~Fri',
  '*-*-32',
  '1969-01-01',
  '2200-01-01',
  '24:00',
  '*-*~05..01',
  '*-*~31',
  '12:60',
  'Fri..Mon',
  'Fun',
  'fortnightly',
  '1-2-3-4',
  '1:2:3:4',
  'Mon Tue',
  '0/60:00',
  '*-*-* 00:00:00 Mars/One',
  '*:0/0',
  '5',
  ' daily',
  'x'.repeat(200),
  '*-~1',
  '1,,2:00',
])('%s is refused, as systemd refuses it', (expression) => {
  const [problem] = heartbeatSettingsProblems(settings(expression))
  expect(problem?.path).toBe('onCalendar')
  expect(problem?.message).toMatch(/^[^\n]{5,200}$/)
})

test.each([
  ['a schedule', settings('daily'), '2026-12-01T00:00:00.000Z'],
  ['a cron schedule', settingsOf({ periodSeconds: null, cron: '0 3 * * *' }), '2026-12-01T03:00:00.000Z'],
  ['a period, which counts from its first ping', settingsOf(), null],
])('before the first ping the next time is shown of %s, and nothing is late', (_name, of, expected) => {
  const definition = { settings: of, paused: false, validFromMs: 0, status: 'unknown' } as const
  const nowMs = Date.parse('2026-11-30T12:00:00Z')
  expect(describeHeartbeat(newHeartbeatState, definition, nowMs)).toMatchObject({
    state: 'new',
    nextExpectedAt: expected,
  })
  expect(
    describeHeartbeat(newHeartbeatState, { ...definition, paused: true }, nowMs).nextExpectedAt,
  ).toBeNull()
})
