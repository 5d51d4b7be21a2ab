import { slotsDue } from '@probe-mesh/contracts/reading/slots'
import type { Revision } from '@probe-mesh/contracts/reading/slots'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seriesPoints } from './series-points.ts'

const checkId = '01890000-0000-7000-8000-000000000001'
const minuteMs = 60_000
const nothing = { points: [], percentiles: [] }

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
  fc.assert(
    fc.property(
      history,
      fc.constantFrom(minuteMs, 5 * minuteMs),
      fc.integer({ min: 0, max: 90 * minuteMs }),
      fc.integer({ min: 0, max: 90 * minuteMs }),
      fc.constantFrom('fra', undefined),
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
    ),
  )
})

test('the loss is never negative', () => {
  const revision = {
    validFromMs: 0,
    validToMs: null,
    regions: ['fra'],
    intervalSeconds: 60,
    paused: false,
  }
  const counts = { up: 3, down: 1, blocked: 1, unmeasured: 1 }
  const [point] = seriesPoints({
    checkId,
    revisions: [revision],
    stored: { points: [{ atMs: 0, region: 'fra', ...counts }], percentiles: [] },
    fromMs: 0,
    toMs: minuteMs,
    stepMs: minuteMs,
    dueFromMs: 0,
    dueToMs: minuteMs,
  })
  expect(point).toMatchObject({ due: 1, measured: 6, lost: 0, availability: 0.75, p50Ms: null })
})
