import { spawnSync } from 'node:child_process'
import { parseOnCalendar } from '@probe-mesh/control-plane/src/heartbeats/on-calendar'
import { nextOnCalendar } from '@probe-mesh/control-plane/src/heartbeats/on-calendar-times'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import fc from 'fast-check'
import { expect, test } from 'vitest'

/** What systemd says: the next times in whole seconds, or that it cannot read the expression. */
const bySystemd = (expression: string, base: string, count: number): number[] | 'refused' => {
  const { status, stdout } = spawnSync(
    'systemd-analyze',
    ['calendar', `--iterations=${count}`, `--base-time=${base}`, expression],
    { encoding: 'utf8', env: { PATH: process.env['PATH'], TZ: 'UTC', LC_ALL: 'C' }, timeout: 10_000 },
  )
  if (status !== 0) return 'refused'
  const times = [...stdout.matchAll(/(?:Next elapse|Iter\. #\d+): \w{3} (\S+) (\S+) UTC/g)]
  return times.map(([, date, time]) => Date.parse(`${date}T${time}Z`))
}

const byUs = (expression: string, base: string, count: number): number[] | 'refused' => {
  const parsed = parseOnCalendar(expression)
  if (!parsed.ok) return 'refused'
  const found = nextOnCalendar(
    parsed.calendar,
    'UTC',
    Date.parse(base.replace(' UTC', 'Z').replace(' ', 'T')),
    count,
  )
  return found.map((ms) => Math.floor(ms / 1_000) * 1_000)
}

const isHere = spawnSync('systemd-analyze', ['--version']).status === 0

const number = (min: number, max: number) =>
  fc
    .tuple(fc.integer({ min, max }), fc.boolean())
    .map(([value, padded]) => (padded ? String(value).padStart(2, '0') : String(value)))
/**
 * Values of one part, and a few outside of it. A repetition without an end that does not divide the part, or is in a
 * list, is left out: versions of systemd differ on what comes after it, and its manual says nothing else than of the others.
 */
const part = (min: number, max: number, step: number): fc.Arbitrary<string> => {
  const dividing = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30].filter(
    (each) => each <= step && (max + 1 - min) % each === 0,
  )
  const open = fc.tuple(number(min, max), fc.constantFrom(...dividing)).map((pair) => pair.join('/'))
  const range = fc
    .tuple(number(min, max), number(min, max))
    .filter(([from, to]) => Number(from) !== Number(to))
    .map((ends) => ends.toSorted((one, other) => Number(one) - Number(other)).join('..'))
  const one = fc.oneof(
    { weight: 4, arbitrary: number(min, max) },
    { weight: 2, arbitrary: range },
    { weight: 1, arbitrary: fc.tuple(range, number(0, step)).map((pair) => pair.join('/')) },
    { weight: 1, arbitrary: number(max, max + 3) },
  )
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant('*') },
    { weight: 2, arbitrary: fc.array(one, { minLength: 1, maxLength: 3 }).map((all) => all.join(',')) },
    { weight: 1, arbitrary: max === 31 ? number(min, max).map((start) => `${start}/1`) : open },
  )
}
const days = fc.constantFrom(
  'Mon',
  'tue',
  'Wednesday',
  'THU',
  'Fri',
  'saturday',
  'Sun',
  'Mon..Fri',
  'Sat,Sun',
  'Tue-Thu',
  'Fri..Mon',
  'Mon,Wed,Fri',
  'Wed,',
  'Fun',
)
/** systemd 252 allows three days less for each further value of a list, which its manual does not say. */
const day = fc.oneof(
  part(1, 31, 9).map((each) => `-${each}`),
  part(1, 18, 1).map((each) => `~${each}`),
  number(26, 30).map((each) => `~${each}`),
)
const date = fc.oneof(
  fc.tuple(part(2026, 2029, 3), part(1, 12, 6), day).map(([y, m, d]) => `${y}-${m}${d}`),
  fc.tuple(part(1, 12, 6), day).map(([m, d]) => `${m}${d}`),
)
const seconds = fc.oneof(
  part(0, 59, 40),
  fc.constantFrom('30.5', '0..59/7.25', '10..50/12.5', '05.1234567', '59.75', '1.'),
)
const time = fc.oneof(
  fc.tuple(part(0, 23, 9), part(0, 59, 30)).map((parts) => parts.join(':')),
  fc.tuple(part(0, 23, 9), part(0, 59, 30), seconds).map((parts) => parts.join(':')),
)
const zone = fc.constantFrom(
  'UTC',
  'utc',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/Santiago',
  'Mars/One',
)
const shorthand = fc.constantFrom(
  'minutely',
  'hourly',
  'daily',
  'Weekly',
  'monthly',
  'QUARTERLY',
  'semiannually',
  'bi-annually',
  'yearly',
  'annually',
  'fortnightly',
)
const maybe = (arbitrary: fc.Arbitrary<string>) => fc.oneof(arbitrary, fc.constant(''))
const expression = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(maybe(days), maybe(date), maybe(time), fc.oneof(zone, fc.constant(''), fc.constant('')))
      .map((parts) => parts.filter((each) => each !== '').join(' ')),
  },
  { weight: 1, arbitrary: fc.tuple(shorthand, maybe(zone)).map((parts) => parts.join(' ').trim()) },
)
const bases = [
  '2026-11-30 12:34:56 UTC',
  '2026-03-27 10:00:00 UTC',
  '2026-10-23 09:59:59 UTC',
  '2028-02-27 00:00:00 UTC',
  '2027-12-31 23:59:59 UTC',
]

/** 500 expressions each, so that a loaded machine has the time. */
test.skipIf(!isHere).each([1, 2, 3, 4, 5, 6])(
  'systemd reads the same expressions and names the same times, or neither reads them; seed %d',
  (seed) => {
    let read = 0
    forAll([expression, fc.constantFrom(...bases)], { numRuns: 500, seed }, (text, base) => {
      const expected = bySystemd(text, base, 8)
      if (expected !== 'refused') read += 1
      expect([text, base, byUs(text, base, 8)]).toEqual([text, base, expected])
    })
    expect(read).toBeGreaterThan(150)
  },
)
