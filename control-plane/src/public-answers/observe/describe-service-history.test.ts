import fc from 'fast-check'
import { ServiceHistory } from '@probe-mesh/contracts/outage/service-page'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { describeServiceHistory, historySpans } from './service-history.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const nowMs = Date.parse('2026-11-20T12:20:00.000Z')
const today = Date.parse('2026-11-20T00:00:00.000Z')

const hour = (atMs: number, up: number, down = 0) => ({ atMs, up, down })
const historyOf = (...hours: ReturnType<typeof hour>[]) => describeServiceHistory({ hours, steps: [] }, nowMs)

test('without measurements no day and no step has data', () => {
  const history = historyOf()
  expect(history.days).toHaveLength(90)
  expect(history.steps).toHaveLength(96)
  expect(history.upShare).toBeNull()
  for (const day of history.days) expect(day).toMatchObject({ upShare: null, measuredSeconds: 0 })
  for (const step of history.steps) expect(step).toMatchObject({ up: 0, down: 0, p50Ms: null })
  expect(history.days[0]?.unmeasuredSeconds).toBe(86_400)
  expect(history.days.at(-1)).toMatchObject({ date: '2026-11-20', unmeasuredSeconds: 44_400 })
})

describe('a day of the history', () => {
  test.each([
    ['has a share of 1 if all readings are up', [hour(today, 240), hour(today + hourMs, 240)], 1, 7_200],
    ['has a share below 1 with one failure in ten million', [hour(today, 9_999_999, 1)], 0.999999, 3_600],
    ['has a share of 0 if all readings are down', [hour(today, 0, 3)], 0, 3_600],
    ['rounds its share down', [hour(today, 2, 1)], 0.666666, 3_600],
    ['counts the elapsed part of the current hour', [hour(today + 12 * hourMs, 1)], 1, 1_200],
  ])('%s', (_, hours, upShare, measuredSeconds) => {
    expect(historyOf(...hours).days.at(-1)).toEqual({
      date: '2026-11-20',
      upShare,
      measuredSeconds,
      unmeasuredSeconds: 44_400 - measuredSeconds,
    })
  })

  test('contains exactly the hours of its date', () => {
    const { days } = historyOf(hour(today - 1 * hourMs, 1), hour(today, 0, 1))
    expect(days.slice(-2).map(({ upShare }) => upShare)).toEqual([1, 0])
  })
})

test('the steps cover the last 24 hours including the current step, in order', () => {
  const { steps: span } = historySpans(nowMs)
  expect(new Date(span.toMs).toISOString()).toBe('2026-11-20T12:30:00.000Z')
  const counted = { p50Ms: 9, p95Ms: 20, up: 4, down: 1, blocked: 2, unmeasured: 3 }
  const steps = [span.fromMs, span.toMs - 15 * minuteMs].map((atMs) => ({ atMs, ...counted }))
  const history = describeServiceHistory({ hours: [], steps }, nowMs)
  expect(history.steps.at(0)).toEqual({ at: '2026-11-19T12:30:00.000Z', ...counted })
  expect(history.steps.at(-1)).toEqual({ at: '2026-11-20T12:15:00.000Z', ...counted })
  expect(history.steps.filter(({ up }) => up > 0)).toHaveLength(2)
})

test('for any counts and time, measured and unmeasured time add up, and shares use only measured time', () => {
  const counts = fc.record({
    at: fc.integer({ min: 0, max: 90 * 24 - 1 }),
    up: fc.nat(1_000),
    down: fc.nat(1_000),
  })
  forAll(
    [
      fc.uniqueArray(counts, { selector: ({ at }) => at, maxLength: 60 }),
      fc.integer({ min: 0, max: dayMs - 1 }),
    ],
    (hours, elapsedMs) => {
      const at = today + elapsedMs
      const { fromMs } = historySpans(at).days
      const known = hours
        .map(({ at: index, up, down }) => hour(fromMs + index * hourMs, up, down))
        .filter(({ atMs, up, down }) => atMs <= at && up + down > 0)
      const history = describeServiceHistory({ hours: known, steps: [] }, at)
      expect(ServiceHistory.safeParse(history).error?.issues ?? []).toEqual([])
      for (const [index, day] of history.days.entries()) {
        const length = Math.min(dayMs, at - (fromMs + index * dayMs)) / 1000
        expect(Math.abs(day.measuredSeconds + day.unmeasuredSeconds - length)).toBeLessThan(2)
        const own = known.filter(({ atMs }) => Math.floor((atMs - fromMs) / dayMs) === index)
        expect(day.upShare === null).toBe(own.length === 0)
        expect(day.upShare === 1).toBe(own.length > 0 && own.every(({ down }) => down === 0))
      }
    },
  )
})
