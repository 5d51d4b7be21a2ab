import { describe, expect, test } from 'vitest'
import { heartbeatSettingsProblems, nextExpected } from './schedule.ts'
import { settingsOf } from './testing.ts'

const cronOf = (cron: string, timeZone: string | null = null) =>
  settingsOf({ periodSeconds: null, cron, timeZone })
const paths = (settings: Parameters<typeof heartbeatSettingsProblems>[0]) =>
  heartbeatSettingsProblems(settings).map(({ path }) => path)

describe('settings', () => {
  test.each([
    ['a period', {}],
    ['a cron schedule', { periodSeconds: null, cron: '*/5 * * * *' }],
    ['names of days and months', { periodSeconds: null, cron: '0 9 * JAN-MAR MON-FRI' }],
    ['lists and stepped ranges', { periodSeconds: null, cron: '0,30 8-18/2 * * *' }],
    ['the last day of a month', { periodSeconds: null, cron: '0 0 L * *' }],
    ['Sunday as 7', { periodSeconds: null, cron: '0 0 * * 7' }],
    ['29 February', { periodSeconds: null, cron: '0 0 29 2 *' }],
    ['a zone', { periodSeconds: null, cron: '0 9 * * *', timeZone: 'Asia/Kolkata' }],
  ])('%s is sound', (_name, more) => {
    expect(heartbeatSettingsProblems(settingsOf(more))).toEqual([])
  })

  test.each([
    ['neither a period nor a schedule', { periodSeconds: null }, ['periodSeconds']],
    ['both', { cron: '* * * * *' }, ['cron']],
    ['a zone without a schedule', { timeZone: 'Europe/Berlin' }, ['timeZone']],
    ['seconds', { periodSeconds: null, cron: '0 */5 * * * *' }, ['cron']],
    ['four fields', { periodSeconds: null, cron: '* * * *' }, ['cron']],
    ['a nickname', { periodSeconds: null, cron: '@daily' }, ['cron']],
    ['minute 60', { periodSeconds: null, cron: '60 * * * *' }, ['cron']],
    ['hour 24', { periodSeconds: null, cron: '0 24 * * *' }, ['cron']],
    ['a step of nothing', { periodSeconds: null, cron: '*/0 * * * *' }, ['cron']],
    ['a range that goes down', { periodSeconds: null, cron: '0 18-8 * * *' }, ['cron']],
    ['a value of the moment', { periodSeconds: null, cron: '? * * * *' }, ['cron']],
    ['30 February', { periodSeconds: null, cron: '0 0 30 2 *' }, ['cron']],
    ['no text at all', { periodSeconds: null, cron: '' }, ['cron']],
    ['no such zone', { periodSeconds: null, cron: '0 9 * * *', timeZone: 'Mars/One' }, ['timeZone']],
    ['an offset', { periodSeconds: null, cron: '0 9 * * *', timeZone: '+02:00' }, ['timeZone']],
    ['every problem', { cron: '60 * * * *', timeZone: 'X/Y' }, ['cron', 'timeZone', 'cron']],
    ['no grace', { graceSeconds: 0 }, ['graceSeconds']],
    ['no max runtime', { maxRuntimeSeconds: 0 }, ['maxRuntimeSeconds']],
  ])('%s is a problem', (_name, more, expected) => {
    expect(paths({ ...settingsOf(), ...more })).toEqual(expected)
  })

  test.each([
    ['OnCalendar', { periodSeconds: null, onCalendar: 'Mon..Fri *-*-* 05:00:00' }],
    ['OnCalendar with its own zone', { periodSeconds: null, onCalendar: 'daily Europe/Berlin' }],
    ['OnCalendar and a zone', { periodSeconds: null, onCalendar: '*:0/15', timeZone: 'Asia/Tokyo' }],
    ['seconds that are 10 s apart', { periodSeconds: null, onCalendar: '*:*:0/10' }],
  ])('%s is sound', (_name, more) => {
    expect(heartbeatSettingsProblems(settingsOf(more))).toEqual([])
  })

  test.each([
    ['a period and OnCalendar', { onCalendar: 'daily' }, ['onCalendar']],
    ['cron and OnCalendar', { periodSeconds: null, cron: '* * * * *', onCalendar: 'daily' }, ['onCalendar']],
    ['every second', { periodSeconds: null, onCalendar: '*:*:*' }, ['onCalendar']],
    [
      'seconds that are close across a minute',
      { periodSeconds: null, onCalendar: '*:*:5,56' },
      ['onCalendar'],
    ],
    ['a millionth of a second', { periodSeconds: null, onCalendar: '*:*:0/0.000001' }, ['onCalendar']],
    ['31 April', { periodSeconds: null, onCalendar: '*-04-31' }, ['onCalendar']],
    ['a past year', { periodSeconds: null, onCalendar: '2012-10-15' }, ['onCalendar']],
    ['an instant', { periodSeconds: null, onCalendar: '@1395716396' }, ['onCalendar']],
    ['two zones', { periodSeconds: null, onCalendar: 'daily UTC', timeZone: 'Asia/Tokyo' }, ['timeZone']],
    ['a cron expression', { periodSeconds: null, onCalendar: '0 3 * * *' }, ['onCalendar']],
    ['no text', { periodSeconds: null, onCalendar: '' }, ['onCalendar']],
  ])('%s is a problem', (_name, more, expected) => {
    expect(paths({ ...settingsOf(), ...more })).toEqual(expected)
  })

  test('each problem is one line', () => {
    for (const cron of ['* * * *', '60 * * * *', '@daily', '? * * * *', '0 0 30 2 *', 'a b c d e']) {
      const [problem] = heartbeatSettingsProblems(cronOf(cron))
      expect(problem?.message).toMatch(/^[^\n]{5,200}$/)
    }
  })
})

describe('the next expected pings', () => {
  const next = (cron: string, zone: string, after: string, count: number) =>
    nextExpected(cronOf(cron, zone), Date.parse(after), count).map((ms) =>
      new Date(ms).toISOString().replace(':00.000Z', 'Z'),
    )

  test('a period counts from the last ping', () => {
    expect(nextExpected(settingsOf({ periodSeconds: 60 }), 1_000, 3)).toEqual([61_000, 121_000, 181_000])
  })

  test('a schedule without a zone is in UTC, and a matching instant is not its own next one', () => {
    const after = Date.parse('2027-01-01T09:00:00Z')
    expect(nextExpected(cronOf('0 9 * * *'), after, 1)).toEqual([after + 86_400_000])
    expect(nextExpected(cronOf('0 9 * * *'), after - 1, 1)).toEqual([after])
  })

  test('two restricted day fields match either, one with a star matches both', () => {
    expect(next('0 0 13 * 5', 'UTC', '2027-01-01T00:00Z', 3)).toEqual([
      '2027-01-08T00:00Z',
      '2027-01-13T00:00Z',
      '2027-01-15T00:00Z',
    ])
    expect(next('0 0 */2 * 1', 'UTC', '2027-01-01T00:00Z', 2)).toEqual([
      '2027-01-11T00:00Z',
      '2027-01-25T00:00Z',
    ])
  })

  test.each([
    // a fixed time in the gap: once, at the first instant after it
    ['30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00Z', ['2027-03-28T01:00Z', '2027-03-29T00:30Z']],
    ['0,30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00Z', ['2027-03-28T01:00Z', '2027-03-29T00:00Z']],
    ['0-30/15 2 * * *', 'Europe/Berlin', '2027-03-27T12:00Z', ['2027-03-28T01:00Z', '2027-03-29T00:00Z']],
    ['0 2,3 * * *', 'Europe/Berlin', '2027-03-27T12:00Z', ['2027-03-28T01:00Z', '2027-03-29T00:00Z']],
    ['30 2 * * *', 'America/New_York', '2027-03-13T12:00Z', ['2027-03-14T07:00Z', '2027-03-15T06:30Z']],
    ['0 0 * * *', 'Africa/Cairo', '2027-04-28T23:00Z', ['2027-04-29T22:00Z', '2027-04-30T21:00Z']],
    ['30 0 * * *', 'Africa/Cairo', '2027-04-28T23:00Z', ['2027-04-29T22:00Z', '2027-04-30T21:30Z']],
    ['15 2 * * *', 'Australia/Lord_Howe', '2027-10-02T00:00Z', ['2027-10-02T15:30Z', '2027-10-03T15:15Z']],
    // a fixed time that comes twice: once, the first time
    ['30 2 * * *', 'Europe/Berlin', '2027-10-30T12:00Z', ['2027-10-31T00:30Z', '2027-11-01T01:30Z']],
    ['30 2 * * *', 'Europe/Berlin', '2027-10-31T00:45Z', ['2027-11-01T01:30Z']],
    ['30 2,14 * * *', 'Europe/Berlin', '2027-10-30T23:00Z', ['2027-10-31T00:30Z', '2027-10-31T13:30Z']],
    ['30 1 * * *', 'America/New_York', '2027-11-06T12:00Z', ['2027-11-07T05:30Z', '2027-11-08T06:30Z']],
    ['30 23 * * *', 'Africa/Cairo', '2027-10-28T00:00Z', ['2027-10-28T20:30Z', '2027-10-29T21:30Z']],
    ['45 1 * * *', 'Australia/Lord_Howe', '2027-04-03T00:00Z', ['2027-04-03T14:45Z', '2027-04-04T15:15Z']],
    // a star follows the clock: not in the gap, and in both hours that bear one name
    ['*/30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00Z', ['2027-03-29T00:00Z', '2027-03-29T00:30Z']],
    [
      '15 * * * *',
      'Europe/Berlin',
      '2027-10-30T23:30Z',
      ['2027-10-31T00:15Z', '2027-10-31T01:15Z', '2027-10-31T02:15Z'],
    ],
    ['*/20 * * * *', 'Australia/Lord_Howe', '2027-04-03T14:50Z', ['2027-04-03T15:10Z', '2027-04-03T15:30Z']],
    // no clock change
    ['30 2 * * *', 'Asia/Kolkata', '2027-03-27T22:00Z', ['2027-03-28T21:00Z', '2027-03-29T21:00Z']],
    ['30 2 * * *', 'UTC', '2027-03-28T00:00Z', ['2027-03-28T02:30Z', '2027-03-29T02:30Z']],
  ])('%s in %s after %s', (cron, zone, after, expected) => {
    expect(next(cron, zone, after, expected.length)).toEqual(expected)
  })
})

const zones = [
  'Europe/Berlin',
  'Europe/London',
  'Europe/Dublin',
  'Europe/Chisinau',
  'America/New_York',
  'America/Los_Angeles',
  'America/St_Johns',
  'America/Havana',
  'America/Santiago',
  'America/Asuncion',
  'Atlantic/Azores',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Beirut',
  'Asia/Jerusalem',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Australia/Adelaide',
  'Pacific/Auckland',
  'Pacific/Chatham',
]
const hourMs = 3_600_000
const year = { fromMs: Date.UTC(2027, 0, 1), toMs: Date.UTC(2028, 0, 1) }

/** The wall-clock time of a zone, as if it were UTC. */
const wallOf = (zone: string) => {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  return (ms: number): number => {
    const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = part
    return Date.UTC(year, month - 1, day, hour, minute)
  }
}

/** The instants of 2027 at which a zone's offset changes, to the half hour. */
const changesOf = (wall: (ms: number) => number): number[] => {
  const offset = (ms: number): number => wall(ms) - ms
  const found: number[] = []
  for (let day = year.fromMs; day < year.toMs; day += 24 * hourMs) {
    if (offset(day) === offset(day + 24 * hourMs)) continue
    let ms = day
    while (offset(ms) === offset(day)) ms += hourMs / 2
    found.push(ms)
  }
  return found
}

/** Half hours of the day: those in which clocks are changed, and one in which none is. */
const halves = [...Array.from({ length: 14 }, (_, half) => half), 24, 45, 46, 47]

describe('around every clock change of 2027', () => {
  test.each(zones)('in %s a daily job is expected once a day, at its time or right after the gap', (zone) => {
    const wall = wallOf(zone)
    for (const changeMs of changesOf(wall)) {
      for (const half of halves) {
        const [hour, minute] = [Math.floor(half / 2), (half % 2) * 30]
        const after = changeMs - 30 * hourMs
        const expected = nextExpected(cronOf(`${minute} ${hour} * * *`, zone), after, 3)
        const said = `${zone} ${hour}:${minute} after ${new Date(after).toISOString()}`
        const days = expected.map((ms) => Math.floor(wall(ms) / (24 * hourMs)))
        expect(days, said).toEqual([days[0], (days[0] ?? 0) + 1, (days[0] ?? 0) + 2])
        for (const ms of expected) {
          const atItsTime = wall(ms) % (24 * hourMs) === (hour * 60 + minute) * 60_000
          expect(atItsTime || ms === changeMs, said).toBe(true)
        }
      }
    }
  })

  test.each(zones)('in %s a job of every half hour is expected every half hour that passes', (zone) => {
    for (const changeMs of changesOf(wallOf(zone))) {
      const expected = nextExpected(cronOf('*/30 * * * *', zone), changeMs - 2 * hourMs, 12)
      const gaps = expected.slice(1).map((ms, index) => ms - (expected[index] ?? 0))
      expect(new Set(gaps), `${zone} ${new Date(changeMs).toISOString()}`).toEqual(new Set([hourMs / 2]))
    }
  })

  test('the zones of these tests change their clocks, except one', () => {
    const without = zones.filter((zone) => changesOf(wallOf(zone)).length === 0)
    expect(without).toContain('Asia/Kolkata')
    expect(without.length).toBeLessThan(5)
  })
})
