import { slotsDue, type Revision } from '@probe-mesh/contracts/reading/slots'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { seriesPoints } from './series-points.ts'

const checkId = '01890000-0000-7000-8000-000000000001'
const minuteMs = 60_000
const nothing = { points: [], percentiles: [], recent: [] }

/** Revisions that follow one another from instant 0 on, the last one open. */
const history = fc
  .array(
    fc.record({
      lengthMs: fc.integer({ min: 0, max: 20 * minuteMs }),
      regions: fc.subarray(['fra', 'nrt', 'iad']),
      intervalSeconds: fc.constantFrom(10, 60, 300),
      paused: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts): Revision[] => {
    let fromMs = 0
    return parts.map(({ lengthMs, ...revision }, index) => {
      const validFromMs = fromMs
      fromMs += lengthMs
      return { ...revision, validFromMs, validToMs: index === parts.length - 1 ? null : fromMs }
    })
  })

test('the due slots of all steps add up to those of the window', () => {
  forAll(
    [
      history,
      fc.constantFrom(minuteMs, 5 * minuteMs),
      fc.integer({ min: 0, max: 90 * minuteMs }),
      fc.integer({ min: 0, max: 90 * minuteMs }),
      fc.constantFrom('fra', undefined),
    ],
    (revisions, stepMs, dueFromMs, dueToMs, region) => {
      const toMs = 60 * minuteMs
      const points = seriesPoints({
        checkId,
        region,
        revisions,
        stored: nothing,
        fromMs: 0,
        toMs,
        stepMs,
        dueFromMs,
        dueToMs,
      })
      const regions = region === undefined ? ['fra', 'nrt', 'iad'] : [region]
      const slots = regions.flatMap((one) =>
        slotsDue(checkId, one, revisions, dueFromMs, Math.min(dueToMs, toMs)),
      )
      expect(points.reduce((sum, point) => sum + point.due, 0)).toBe(slots.length)
      expect(points).toHaveLength(toMs / stepMs)
    },
  )
})

const counts = fc.record({
  up: fc.integer({ min: 0, max: 9 }),
  down: fc.integer({ min: 0, max: 9 }),
  blocked: fc.integer({ min: 0, max: 9 }),
  unmeasured: fc.integer({ min: 0, max: 9 }),
})

test('expected is measured plus lost, and never below measured', () => {
  forAll(
    [
      history,
      fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.constantFrom('fra', 'nrt', 'sjc'), counts)),
      fc.integer({ min: 0, max: 60 }),
    ],
    (revisions, drawn, dueToMinute) => {
      const stepMs = 10 * minuteMs
      const stored = [...new Map(drawn.map((one) => [`${one[0]} ${one[1]}`, one])).values()].map(
        ([step, region, found]) => ({ atMs: step * stepMs, region, ...found }),
      )
      const points = seriesPoints({
        checkId,
        revisions,
        stored: { points: stored, percentiles: [], recent: [] },
        fromMs: 0,
        toMs: 6 * stepMs,
        stepMs,
        dueFromMs: 0,
        dueToMs: dueToMinute * minuteMs,
      })
      for (const point of points) {
        expect(point.due).toBe(point.measured + point.lost)
        expect(point.measured).toBe(point.up + point.down + point.blocked + point.unmeasured)
        expect(point.lost).toBeGreaterThanOrEqual(0)
      }
    },
  )
})

const revision = {
  validFromMs: 0,
  validToMs: null,
  regions: ['fra', 'nrt'],
  intervalSeconds: 60,
  paused: false,
}
const up = (region: string, count: number) => ({
  atMs: 0,
  region,
  up: count,
  down: 0,
  blocked: 0,
  unmeasured: 0,
})
const hourOf = (parts: { points: ReturnType<typeof up>[]; recent?: number; dueToMs?: number }) =>
  seriesPoints({
    checkId,
    revisions: [revision],
    stored: {
      points: parts.points,
      percentiles: [],
      recent: ['fra', 'nrt'].map((region) => ({ atMs: 0, region, count: parts.recent ?? 0 })),
    },
    fromMs: 0,
    toMs: 60 * minuteMs,
    stepMs: 60 * minuteMs,
    dueFromMs: 0,
    dueToMs: parts.dueToMs ?? 60 * minuteMs,
  })[0]

test('a reading more in one region hides none that is missing in another', () => {
  expect(hourOf({ points: [up('fra', 63), up('nrt', 58)] })).toMatchObject({
    due: 123,
    measured: 121,
    lost: 2,
  })
})

test('a slot that may still be on its way is due once it is measured, and hides no lost one', () => {
  // half of the hour is settled, and each region lost two readings in it
  expect(hourOf({ points: [up('fra', 33), up('nrt', 33)], recent: 5, dueToMs: 30 * minuteMs })).toMatchObject(
    {
      due: 70,
      measured: 66,
      lost: 4,
    },
  )
})

test('a new check with only recent slots has measured all expected ones', () => {
  expect(hourOf({ points: [up('fra', 2), up('nrt', 2)], recent: 2, dueToMs: 0 })).toMatchObject({
    due: 4,
    measured: 4,
    lost: 0,
  })
})

test('readings that no revision expected count as expected; availability and latency use measured ones', () => {
  const found = { up: 3, down: 1, blocked: 1, unmeasured: 1 }
  expect(hourOf({ points: [{ atMs: 0, region: 'sjc', ...found }], dueToMs: 0 })).toMatchObject({
    due: 6,
    measured: 6,
    lost: 0,
    availability: 0.75,
    p50Ms: null,
  })
})
