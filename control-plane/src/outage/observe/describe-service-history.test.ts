import fc from 'fast-check'
import { ServiceHistory } from '@probe-mesh/contracts/outage/service-page'
import { describe, expect, test } from 'vitest'
import { describeServiceHistory, historySpans } from './service-history.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const nowMs = Date.parse('2026-11-20T12:20:00.000Z')
const today = Date.parse('2026-11-20T00:00:00.000Z')

const hour = (atMs: number, up: number, down = 0) => ({ atMs, up, down })
const ofHours = (...hours: ReturnType<typeof hour>[]) => describeServiceHistory({ hours, steps: [] }, nowMs)

test('nothing measured is no data on every day and in every step, and never up', () => {
  const history = ofHours()
  expect(history.days).toHaveLength(90)
  expect(history.steps).toHaveLength(96)
  expect(history.upShare).toBeNull()
  for (const day of history.days) expect(day).toMatchObject({ upShare: null, measuredSeconds: 0 })
  for (const step of history.steps) expect(step).toMatchObject({ up: 0, down: 0, p50Ms: null })
  expect(history.days[0]?.unmeasuredSeconds).toBe(86_400)
  expect(history.days.at(-1)).toMatchObject({ date: '2026-11-20', unmeasuredSeconds: 44_400 })
})

describe('a day', () => {
  test.each([
    ['all up', [hour(today, 240), hour(today + hourMs, 240)], 1, 7_200],
    ['once down of a million is not 1', [hour(today, 9_999_999, 1)], 0.999999, 3_600],
    ['all down', [hour(today, 0, 3)], 0, 3_600],
    ['cut, not rounded', [hour(today, 2, 1)], 0.666666, 3_600],
    ['the hour that it is counts as far as it is over', [hour(today + 12 * hourMs, 1)], 1, 1_200],
  ])('%s', (_, hours, upShare, measuredSeconds) => {
    expect(ofHours(...hours).days.at(-1)).toEqual({
      date: '2026-11-20',
      upShare,
      measuredSeconds,
      unmeasuredSeconds: 44_400 - measuredSeconds,
    })
  })

  test('is that of its hours, to the last and not beyond', () => {
    const { days } = ofHours(hour(today - 1 * hourMs, 1), hour(today, 0, 1))
    expect(days.slice(-2).map(({ upShare }) => upShare)).toEqual([1, 0])
  })
})

test('steps are those of the last 24 hours with the one that it is, each at its place', () => {
  const { steps: span } = historySpans(nowMs)
  expect(new Date(span.toMs).toISOString()).toBe('2026-11-20T12:30:00.000Z')
  const counted = { p50Ms: 9, p95Ms: 20, up: 4, down: 1, blocked: 2, unmeasured: 3 }
  const steps = [span.fromMs, span.toMs - 15 * minuteMs].map((atMs) => ({ atMs, ...counted }))
  const history = describeServiceHistory({ hours: [], steps }, nowMs)
  expect(history.steps.at(0)).toEqual({ at: '2026-11-19T12:30:00.000Z', ...counted })
  expect(history.steps.at(-1)).toEqual({ at: '2026-11-20T12:15:00.000Z', ...counted })
  expect(history.steps.filter(({ up }) => up > 0)).toHaveLength(2)
})

test('whatever was counted and whenever it is, time adds up and a share is one of what was measured', () => {
  const counts = fc.record({
    at: fc.integer({ min: 0, max: 90 * 24 - 1 }),
    up: fc.nat(1_000),
    down: fc.nat(1_000),
  })
  fc.assert(
    fc.property(
      fc.uniqueArray(counts, { selector: ({ at }) => at, maxLength: 60 }),
      fc.integer({ min: 0, max: dayMs - 1 }),
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
    ),
  )
})
