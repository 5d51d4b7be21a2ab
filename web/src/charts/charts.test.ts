import type { Series, SeriesPoint } from '@probe-mesh/contracts/check/check'
import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { textOf } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { availabilityStrip } from './availability-strip.ts'
import { latencyTicks, timeTicks } from './axes.ts'
import { frame } from './frame.ts'
import { latencyChart } from './latency-chart.ts'
import { drawMoments } from './moment.ts'
import { phaseBars, segmentsOf } from './phase-bars.ts'

const fromMs = Date.parse('2026-11-20T00:00:00.000Z')
const stepSeconds = 3_600

const silence: Omit<SeriesPoint, 'at'> = {
  p50Ms: null,
  p95Ms: null,
  p99Ms: null,
  availability: null,
  up: 0,
  down: 0,
  blocked: 0,
  unmeasured: 0,
  due: 0,
  measured: 0,
  lost: 0,
}
const good = { p50Ms: 10, p95Ms: 40, p99Ms: 50, up: 1, due: 1, measured: 1, availability: 1 }

const seriesOf = (points: readonly Partial<SeriesPoint>[]): Series => ({
  checkId: 'a',
  region: null,
  from: new Date(fromMs).toISOString(),
  to: new Date(fromMs + points.length * stepSeconds * 1000).toISOString(),
  stepSeconds,
  points: points.map((point, index) => ({
    at: new Date(fromMs + index * stepSeconds * 1000).toISOString(),
    ...silence,
    ...point,
  })),
})

const drawn = (html: Html | null): string => (html === null ? '' : textOf(html))
const chart = (points: readonly Partial<SeriesPoint>[]): string =>
  drawn(latencyChart(seriesOf(points), { title: 'Latency', bands: [] }))

/** The lines of a percentile without those of the legend: how many points each goes through. */
const linesIn = (text: string, name: string): number[] => [
  ...[...text.matchAll(new RegExp(`class="line ${name}"\\s+d="M([^"]+)"`, 'g'))]
    .slice(1)
    .map(([, path = '']) => path.split('L').length),
  ...[...text.matchAll(new RegExp(`<circle\\s+class="line ${name}"`, 'g'))].map(() => 1),
]

describe('latency', () => {
  test('a line never leads over a step without a measurement, wherever the silence is', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }), (measured) => {
        fc.pre(measured.includes(true))
        const lines = linesIn(chart(measured.map((is) => (is ? good : {}))), 'p95')
        const spelled = measured.map((is) => (is ? 'x' : ' ')).join('')
        const expected = spelled.match(/x+/g)?.map((run) => run.length)
        expect(lines.toSorted()).toEqual(expected?.toSorted())
      }),
    )
  })

  test('nothing is drawn where nothing was measured', () => {
    expect(latencyChart(seriesOf([{ due: 1, lost: 1 }]), { title: 'a', bands: [] })).toBeNull()
  })

  test('what was due and not measured is marked, once for neighbours', () => {
    const lost = { due: 1, lost: 1 }
    const marks = (text: string) => (text.match(/<rect\s+class="lost"/g) ?? []).length - 1
    expect(marks(chart([good, lost, lost, good, lost]))).toBe(2)
    expect(marks(chart([good, {}, good]))).toBe(0)
  })

  test('it has a name and says what it shows to those who do not see it', () => {
    const text = chart([good, {}, { ...good, lost: 1 }])
    expect(text).toContain('role="img"')
    expect(text).toContain('<title id="latency-title">Latency</title>')
    expect(text.replace(/\s+/g, ' ')).toContain(
      'from 10 to 40 ms. 2 of 3 steps have a latency, the others are gaps; in 1 a reading was due',
    )
  })

  test.each([
    ['before', -7_200_000, -1, false],
    ['that ends as the time begins', -7_200_000, 0, false],
    ['that reaches into the time', -7_200_000, 1, true],
    ['that goes on', 3_600_000, null, true],
    ['after', 3 * 3_600_000, null, false],
  ])('an incident %s is drawn or not', (_, from, to, isDrawn) => {
    const bands = [
      { kind: 'incident' as const, fromMs: fromMs + from, toMs: to === null ? null : fromMs + to },
    ]
    const text = drawn(latencyChart(seriesOf([good, good, good]), { title: 'a', bands }))
    expect(text.includes('class="band incident"')).toBe(isDrawn)
    const strip = drawn(availabilityStrip(seriesOf([good, good, good]), { title: 'a', bands }))
    expect(strip.includes('class="band incident"')).toBe(isDrawn)
    expect(strip.includes('Marked as incident: 1.')).toBe(isDrawn)
    expect(strip).not.toContain('maintenance')
  })

  test('everything lies within the drawing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.double({ min: 0, max: 60_000, noNaN: true })), { minLength: 1 }),
        (values) => {
          const text = chart(values.map((p95Ms) => ({ p95Ms })))
          for (const [, path = ''] of text.matchAll(/d="M([^"]+)"/g)) {
            for (const place of path.split('L')) {
              const [x = -1, y = -1] = place.split(' ').map(Number)
              expect(x).toBeGreaterThanOrEqual(0)
              expect(x).toBeLessThanOrEqual(frame.width)
              expect(y).toBeGreaterThanOrEqual(0)
              expect(y).toBeLessThanOrEqual(220)
            }
          }
        },
      ),
    )
  })
})

describe('availability', () => {
  const text = (points: readonly Partial<SeriesPoint>[]) =>
    drawn(availabilityStrip(seriesOf(points), { title: 'Availability', bands: [] })).replace(/\s+/g, ' ')

  test.each<[string, Partial<SeriesPoint>, string]>([
    ['an up reading', good, '1 up, 0 down, 0 blocked, 0 unmeasured, 0 due and not measured, 0 no data'],
    [
      'a blocked one is not down',
      { blocked: 1, measured: 1 },
      '0 up, 0 down, 1 blocked, 0 unmeasured, 0 due and not measured, 0 no data',
    ],
    [
      'silence where something was due',
      { due: 1, lost: 1 },
      '0 up, 0 down, 0 blocked, 0 unmeasured, 1 due and not measured, 0 no data',
    ],
    ['silence', {}, '0 up, 0 down, 0 blocked, 0 unmeasured, 0 due and not measured, 1 no data'],
  ])('%s', (_, point, said) => {
    expect(text([point])).toContain(`Of 1 steps: ${said}.`)
  })

  test('a step whose readings differ is in the row of each', () => {
    const mixed = text([{ up: 1, down: 1, measured: 2 }])
    expect(mixed).toMatch(/<rect class="up"/)
    expect(mixed).toMatch(/<rect class="down"/)
    expect(mixed).not.toMatch(/<rect class="blocked"/)
  })
})

describe('phases', () => {
  test('follow one another from where the request began, and what was not reached takes no time', () => {
    const timings = { dnsMs: 2, connectMs: 3, tlsMs: null, ttfbMs: 10, transferMs: 0 }
    expect(segmentsOf({ label: 'fra', startMs: 100, timings })).toEqual([
      { name: 'dns', fromMs: 100, ms: 2 },
      { name: 'connect', fromMs: 102, ms: 3 },
      { name: 'ttfb', fromMs: 105, ms: 10 },
      { name: 'transfer', fromMs: 115, ms: 0 },
    ])
  })

  test('there is no drawing of nothing', () => {
    expect(phaseBars('a', [], { title: 'a' })).toBeNull()
    expect(phaseBars('a', [{ label: 'fra', startMs: 5, timings: noTimings }], { title: 'a' })).toBeNull()
  })
})

describe('axes', () => {
  test('values are marked from 0 to the largest or above, by few marks at round steps', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 3_600_000, noNaN: true }), (largest) => {
        const ticks = latencyTicks(largest)
        expect(ticks[0]?.at).toBe(0)
        expect(ticks.at(-1)?.at).toBeGreaterThanOrEqual(largest)
        expect(ticks.length).toBeLessThanOrEqual(6)
        expect(new Set(ticks.map(({ label }) => label)).size).toBe(ticks.length)
      }),
    )
  })

  test.each([
    [24, ['04:00', '08:00', '12:00', '16:00', '20:00', '11-21', '04:00']],
    [168, ['11-21', '11-22', '11-23', '11-24', '11-25', '11-26', '11-27']],
  ])('of %i hours whole hours or days of UTC are marked', (hours, labels) => {
    const from = Date.parse('2026-11-20T04:00:00.000Z')
    expect(timeTicks(from, from + hours * 3_600_000).map(({ label }) => label)).toEqual(labels)
  })
})

describe('moments', () => {
  const hourMs = 3_600_000
  const window = { fromMs, toMs: fromMs + 24 * hourMs }
  const at = (ms: number, word = 'r1') => ({ atMs: ms, word })
  const textsOf = (moments: readonly { atMs: number; word: string }[]): string =>
    drawMoments(moments, window, { top: 0, bottom: 100 }).map(drawn).join('')

  test('a moment is a line with its word where it was, and nowhere where it was outside', () => {
    const first = textsOf([at(window.fromMs)])
    expect(first).toContain(`x1="${frame.left}"`)
    expect(first).toMatch(/>\s*r1\s*</)
    expect(textsOf([at(window.fromMs - 1), at(window.toMs + 1)])).toBe('')
    // at the right edge its word stands before it
    expect(textsOf([at(window.toMs)])).toContain('text-anchor="end"')
  })

  test('words of moments that are close together stand at different heights', () => {
    const close = textsOf([at(fromMs, 'r2'), at(fromMs + 60_000, 'r1')])
    const heights = [...close.matchAll(/\sy="([\d.]+)"/g)].map(([, y]) => y)
    expect(new Set(heights).size).toBe(2)
    expect(textsOf([at(fromMs), at(fromMs + 12 * hourMs)]).match(/\sy="96"/g)).toHaveLength(2)
  })

  test('the latency of a check has them in its chart', () => {
    const moments = [at(fromMs + hourMs, 'r1')]
    const text = drawn(latencyChart(seriesOf([good, good]), { title: 'a', bands: [], moments }))
    expect(text).toContain('class="moment"')
  })
})
