import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { shiftsBetween, whoIsOnCall, type Rotation } from './who-is-on-call.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const members = ['a', 'b', 'c', 'd']
const week: readonly number[] = [1, 2, 3, 4, 5, 6, 7]

/** Days around changes of the clock: an hour, half an hour, at midnight, and a whole day that does not exist. */
const changes = [
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['America/Santiago', '2026-09-06'],
  ['Africa/Cairo', '2026-04-24'],
  ['Pacific/Apia', '2011-12-30'],
  ['Asia/Kolkata', '2026-06-01'],
] as const

const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'))
const near = fc.oneof(time, fc.constantFrom('00:00', '00:30', '01:45', '02:00', '02:30', '03:00', '23:59'))

const rotation: fc.Arbitrary<{ rotation: Rotation; centreMs: number }> = fc
  .constantFrom(...changes)
  .chain(([timeZone, day]) => {
    const centreMs = Date.parse(`${day}T06:00:00Z`)
    const start = fc
      .integer({ min: -9, max: 2 })
      .map((days) => new Date(centreMs + days * dayMs).toISOString().slice(0, 10))
    const layer = fc
      .record({
        userIds: fc.array(fc.constantFrom(...members), { minLength: 1, maxLength: 4 }),
        handOver: near,
        length: fc.integer({ min: 1, max: 3 }),
        unit: fc.constantFrom('days' as const, 'on_call_days' as const, 'weeks' as const),
        until: fc.option(near),
        startDate: start,
        weekdays: fc.boolean().chain((all) => fc.subarray([...week], { minLength: all ? 7 : 1 })),
      })
      .filter(({ handOver, until }) => handOver !== until)
    const override = fc
      .record({
        userId: fc.constantFrom(...members),
        from: fc.integer({ min: -2_000, max: 2_000 }),
        length: fc.integer({ min: 1, max: 1_500 }),
      })
      .map(({ userId, from, length }) => ({
        userId,
        from: new Date(centreMs + from * minuteMs).toISOString(),
        to: new Date(centreMs + (from + length) * minuteMs).toISOString(),
      }))
    return fc.record({
      rotation: fc.record({
        timeZone: fc.constant(timeZone),
        layers: fc.array(layer, { maxLength: 2 }),
        overrides: fc.array(override, { maxLength: 2 }),
      }),
      centreMs: fc.constant(centreMs),
    })
  })

/**
 * The model: a watch that is read every minute, from long before. The day of a layer begins when the watch shows its
 * hand-over, or a later time, of a day that has not begun yet.
 */
const modelOf = ({ timeZone, layers, overrides }: Rotation, fromMs: number, toMs: number) => {
  const watch = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const began: (string | null)[] = layers.map(() => null)
  const ended: (string | null)[] = layers.map(() => null)
  let [today, passed] = ['', '']
  const daysFrom = (a: string, b: string): number => Math.round((Date.parse(b) - Date.parse(a)) / dayMs)
  const at = new Map<number, string | null>()
  for (let ms = fromMs - 3 * dayMs; ms < toMs; ms += minuteMs) {
    const [date = '', shown = ''] = watch.format(ms).split(', ')
    // a day that the calendar leaves out begins when it is over
    if (date !== today)
      [today, passed] = [date, new Date(Date.parse(date) - dayMs).toISOString().slice(0, 10)]
    for (const [index, { handOver, until }] of layers.entries()) {
      const reached = shown >= handOver ? date : passed
      if ((began[index] ?? '') < reached) began[index] = reached
      const left = shown >= (until ?? '24:00') ? date : passed
      if ((ended[index] ?? '') < left) ended[index] = left
    }
    if (ms < fromMs) continue
    let who: string | null = null
    for (const [index, layer] of layers.entries()) {
      const day = began[index] ?? ''
      const days = daysFrom(layer.startDate, day)
      // ISO 8601 counts Sunday as 7
      if (days < 0 || !layer.weekdays.includes(new Date(day).getUTCDay() || 7)) continue
      const next = new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10)
      if (
        typeof layer.until === 'string' &&
        (ended[index] ?? '') >= (layer.until > layer.handOver ? day : next)
      )
        continue
      let counted = days
      if (layer.unit === 'on_call_days') {
        counted = 0
        for (let at = 0; at < days; at++) {
          const weekday = new Date(Date.parse(layer.startDate) + at * dayMs).getUTCDay() || 7
          if (layer.weekdays.includes(weekday)) counted++
        }
      }
      const turn = Math.trunc(counted / (layer.unit === 'weeks' ? layer.length * 7 : layer.length))
      who = layer.userIds[turn % layer.userIds.length] ?? null
    }
    for (const { userId, from, to } of overrides) {
      if (ms >= Date.parse(from) && ms < Date.parse(to)) who = userId
    }
    at.set(ms, who)
  }
  return at
}

test('who is on call is what a watch that is read every minute says, across changes of the clock', () => {
  forAll([rotation], { numRuns: 40 }, ({ rotation, centreMs }) => {
    const [fromMs, toMs] = [centreMs - 2 * dayMs, centreMs + 2 * dayMs]
    const shifts = shiftsBetween(rotation, fromMs, toMs)
    for (const [ms, who] of modelOf(rotation, fromMs, toMs)) {
      const shift = shifts.find((each) => each.fromMs <= ms && ms < each.toMs)
      if (shift?.userId !== who || (ms % (7 * minuteMs) === 0 && whoIsOnCall(rotation, ms) !== who)) {
        expect([new Date(ms).toISOString(), whoIsOnCall(rotation, ms), shift?.userId]).toEqual([
          new Date(ms).toISOString(),
          who,
          who,
        ])
      }
    }
  })
})

test('shifts follow each other without a break, and neighbours differ', () => {
  forAll([rotation], { numRuns: 300 }, ({ rotation, centreMs }) => {
    const [fromMs, toMs] = [centreMs - 10 * dayMs, centreMs + 10 * dayMs]
    const shifts = shiftsBetween(rotation, fromMs, toMs)
    expect([shifts[0]?.fromMs, shifts.at(-1)?.toMs]).toEqual([fromMs, toMs])
    for (const [index, shift] of shifts.entries()) {
      const next = shifts[index + 1]
      expect(shift.fromMs).toBeLessThan(shift.toMs)
      if (next !== undefined) expect([next.fromMs, next.userId === shift.userId]).toEqual([shift.toMs, false])
    }
  })
})
