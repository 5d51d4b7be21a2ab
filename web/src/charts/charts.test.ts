import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { textOf, type Html } from '@probe-mesh/runtime/html'
import {
  box,
  stepStateOf,
  timeChart,
  type Band,
  type Moment,
  type StepCounts,
  type TimeLine,
} from './time-chart.ts'
import { latencyScale, timeTicks } from './axes.ts'
import { endOf, restOf, segmentsOf, waterfall } from './waterfall.ts'

const hourMs = 3_600_000
const fromMs = Date.parse('2026-11-20T00:00:00.000Z')

const silence: StepCounts = { up: 0, down: 0, blocked: 0, unmeasured: 0, lost: 0 }
const good: StepCounts = { ...silence, up: 1 }

const drawn = (html: Html | null): string => (html === null ? '' : textOf(html).replace(/\s+/g, ' '))

const chart = (
  values: readonly (number | null)[],
  more: { steps?: readonly StepCounts[]; bands?: readonly Band[]; moments?: readonly Moment[] } = {},
): string => {
  const lines: TimeLine[] = [{ key: 'p95', name: 'p95', style: 'p95', values }]
  const steps = more.steps ?? values.map((value) => (value === null ? silence : good))
  return drawn(
    timeChart({
      id: 'latency',
      title: 'Latency',
      window: { fromMs, toMs: fromMs + steps.length * hourMs },
      stepSeconds: 3_600,
      lines,
      ...more,
      steps,
    }),
  )
}

const pathOf = (text: string): string => /data-line="p95" d="([^"]*)"/.exec(text)?.[1] ?? ''

describe('a chart over time', () => {
  test('has a gap at each step without a measurement', () => {
    forAll([fc.array(fc.boolean(), { minLength: 1, maxLength: 60 })], (measured) => {
      const path = pathOf(chart(measured.map((is) => (is ? 40 : null))))
      // a piece of one point is a line of length zero
      const pieces = path
        .split('M')
        .slice(1)
        .map((piece) => piece.replace(/Z$/, '').split('L').length)
      const spelled = measured.map((is) => (is ? 'x' : ' ')).join('')
      expect(pieces).toEqual(spelled.match(/x+/g)?.map(({ length }) => length) ?? [])
    })
  })

  test('stays within its box', () => {
    forAll(
      [fc.array(fc.option(fc.double({ min: 0, max: 60_000, noNaN: true })), { minLength: 1 })],
      (values) => {
        for (const place of pathOf(chart(values)).split(/[MLZ]/).filter(Boolean)) {
          const [x = -1, y = -1] = place.split(',').map(Number)
          expect(x).toBeGreaterThanOrEqual(0)
          expect(x).toBeLessThanOrEqual(box.width)
          expect(y).toBeGreaterThanOrEqual(box.top)
          expect(y).toBeLessThanOrEqual(box.top + box.height)
        }
      },
    )
  })

  test('has a name and a text alternative', () => {
    const text = chart([10, null, 40], { steps: [good, { ...silence, lost: 2 }, { ...good, down: 1 }] })
    expect(text).toContain('<title id="latency-title">Latency</title>')
    expect(text).toContain('p95: 10 to 40 ms. Of 3 steps: 1 up, 1 up and down, 1 missed probes.')
  })

  test('states that nothing was measured, without a scale or a line', () => {
    const text = chart([null], { steps: [{ ...silence, lost: 1 }] })
    expect(text).toContain('No latency was measured')
    expect(text).not.toMatch(/>[\d.]+ m?s</)
    expect(text).not.toContain('<li data-line')
    expect(chart([40])).toMatch(/>[\d.]+ ms<.*<li data-line|<li data-line.*>[\d.]+ ms</)
  })

  test.each<[string, Partial<StepCounts>, string]>([
    ['up', { up: 2, unmeasured: 1 }, 'up'],
    ['up although a probe was refused', { up: 1, blocked: 1 }, 'up'],
    ['down', { down: 1, blocked: 1 }, 'down'],
    ['both', { up: 1, down: 1 }, 'mixed'],
    ['refused, which is not down', { blocked: 1 }, 'blocked'],
    ['not measured by its own fault', { unmeasured: 1 }, 'unmeasured'],
    ['missed', { lost: 1 }, 'missed'],
    ['without data, which is not healthy', {}, 'none'],
  ])('shows a step that is %s', (_, counts, state) => {
    const step = { ...silence, ...counts }
    expect(stepStateOf(step)).toBe(state)
    expect(chart([1], { steps: [step] })).toMatch(new RegExp(`<rect class="${state}" x="0%" width="100%"`))
  })

  test('never shows a step as up without an up reading, nor as down without a down reading', () => {
    const count = fc.integer({ min: 0, max: 3 })
    const counts = fc.record({
      up: count,
      down: count,
      blocked: count,
      unmeasured: count,
      lost: fc.option(count),
    })
    forAll([counts], (step) => {
      const state = stepStateOf(step)
      expect(['up', 'mixed'].includes(state)).toBe(step.up > 0)
      expect(['down', 'mixed'].includes(state)).toBe(step.down > 0)
    })
  })

  test('marks missed probes in a measured step', () => {
    expect(chart([1], { steps: [{ ...good, lost: 1 }] })).toMatch(/class="up".*class="missed"/)
  })

  test.each([
    ['before', -2, -1, false],
    ['that ends when the chart begins', -2, 0, false],
    ['that reaches into the chart', -2, 1, true],
    ['that is open', 1, null, true],
    ['after', 3, null, false],
  ])('draws an incident %s or leaves it out', (_, from, to, isDrawn) => {
    const bands: Band[] = [
      { kind: 'incident', fromMs: fromMs + from * hourMs, toMs: to === null ? null : fromMs + to * hourMs },
    ]
    const text = chart([1, 1, 1], { bands })
    expect(text.includes('class="band incident"')).toBe(isDrawn)
    expect(text).not.toContain('band maintenance')
  })

  test('marks a release at its time, and none outside the window', () => {
    const at = (hours: number): Moment => ({ atMs: fromMs + hours * hourMs, word: 'r1', text: 'Release 2' })
    expect(chart([1, 1], { moments: [at(1)] })).toMatch(/<title>Release 2<\/title> <line x1="50%" x2="50%"/)
    expect(chart([1, 1], { moments: [at(-1), at(3)] })).not.toContain('moment')
    // at the right edge the word is left of the mark
    expect(chart([1, 1], { moments: [at(2)] })).toContain('text-anchor="end"')
  })

  test('gives the pointer the same values that it draws', () => {
    const data = /data-chart="([^"]*)"/.exec(chart([1.234, null, 250.7]))?.[1] ?? ''
    const { lines, states, step } = JSON.parse(data.replaceAll('&quot;', '"'))
    expect(lines[0].values).toEqual([1.2, null, 251])
    expect(states).toEqual(['1 up', 'no data', '1 up'])
    expect(step).toBe(hourMs)
  })
})

describe('phases', () => {
  const timings = { dnsMs: 2, connectMs: 3, tlsMs: null, ttfbMs: 10, transferMs: 0 }

  test('follow one another from the start of the request; an unreached phase takes no time', () => {
    expect(segmentsOf({ startMs: 100, timings })).toEqual([
      { key: 'dns', name: 'DNS', fromMs: 100, ms: 2 },
      { key: 'connect', name: 'Connect', fromMs: 102, ms: 3 },
      { key: 'ttfb', name: 'First byte', fromMs: 105, ms: 10 },
      { key: 'transfer', name: 'Transfer', fromMs: 115, ms: 0 },
    ])
    expect(endOf([{ startMs: 100, timings }])).toBe(115)
  })

  test('are also text next to their bars', () => {
    const text = drawn(
      waterfall([{ label: 'fra', startMs: 0, timings }], { title: 'a', firstHeading: 'Region' }),
    )
    expect(text).toContain('<title>DNS 2 ms, Connect 3 ms, First byte 10 ms, Transfer 0 ms</title>')
    expect(text).toMatch(/<td class="number">15 ms<\/td>/)
  })

  test('and the rest add up to the latency of the reading', () => {
    const rest = restOf('browser', { latencyMs: 470, timings })
    expect(rest).toEqual({ key: 'rest', name: 'Page (scripts, images, rendering)', fromMs: 15, ms: 455 })
    const rows = [
      { label: 'fra', startMs: 0, timings, rest },
      { label: 'iad', startMs: 0, timings, rest: restOf('browser', { latencyMs: 15.5, timings }) },
    ]
    const text = drawn(waterfall(rows, { title: 'a', firstHeading: 'Region' }))
    expect(text).toMatch(/<td class="number">470 ms<\/td>/)
    expect(text).toMatch(/<td class="number">15 ms<\/td>/)
    expect(text.match(/<rect\s+class="rest"/g)).toHaveLength(2)
    expect(endOf(rows)).toBe(470)
    expect(restOf('http', { latencyMs: null, timings })).toBeNull()
    expect(restOf('http', { latencyMs: 900, timings: noTimings })).toBeNull()
  })

  test('share one scale when they are given the same end', () => {
    const bar = (endMs: number) =>
      /class="ttfb" x="([\d.]+)%"/.exec(
        drawn(waterfall([{ label: 'fra', startMs: 0, timings }], { title: 'a', firstHeading: 'b', endMs })),
      )?.[1]
    expect(Number(bar(100))).toBeLessThan(Number(bar(15)))
  })

  test('are not drawn when none was measured', () => {
    const options = { title: 'a', firstHeading: 'b' }
    expect(waterfall([], options)).toBeNull()
    expect(waterfall([{ label: 'fra', startMs: 5, timings: noTimings }], options)).toBeNull()
  })
})

describe('axes', () => {
  test('have few marks, from 0 to the largest value or above, each with a distinct label', () => {
    forAll([fc.double({ min: 0, max: 3_600_000, noNaN: true })], (largest) => {
      const { most, ticks } = latencyScale(largest)
      expect(most).toBeGreaterThanOrEqual(largest)
      expect(ticks[0]?.at).toBe(0)
      expect(ticks.at(-1)?.at).toBeLessThanOrEqual(most)
      expect(ticks.length).toBeLessThanOrEqual(8)
      expect(new Set(ticks.map(({ label }) => label)).size).toBe(ticks.length)
    })
  })

  test.each([
    [24, ['06:00', '09:00', '12:00', '15:00', '18:00', '21:00', '11-21', '03:00']],
    [168, ['11-21', '11-22', '11-23', '11-24', '11-25', '11-26', '11-27']],
  ])('mark whole hours or days of UTC over %i hours', (hours, labels) => {
    const from = Date.parse('2026-11-20T04:00:00.000Z')
    expect(timeTicks({ fromMs: from, toMs: from + hours * hourMs }).map(({ label }) => label)).toEqual(labels)
  })
})
